/// The style of a page: light and dark, wide and narrow, screen and paper.
enum ReportStyle {
  /// CSS. Colours of one lightness and different hue, told apart by shape too.
  static let text = #"""
    :root {
      --fg: #1b1f24; --bg: #fff; --panel: #f6f7f9; --muted: #56606b; --faint: #b4bcc6; --edge: #d5dae0;
      --accent: #0b62a4; --wake: #b4450b; --enter: #1d7a46; --exit: #8a2f8f; --move: #7a5c00; --visit: #3f51b5; --gap: #b3261e;
      --region: #1d7a46; --state-active: #0b62a4; --state-background: #b4450b; --state-suspended: #c3cad3;
    }
    @media screen and (prefers-color-scheme: dark) {
      :root:not(.paper) {
        --fg: #e7ebf0; --bg: #12161b; --panel: #1a2027; --muted: #9aa6b2; --faint: #4b5763; --edge: #313a44;
        --accent: #6fb7ee; --wake: #f2a05c; --enter: #6fcf97; --exit: #d79bdc; --move: #e2c25a; --visit: #a9b4ff; --gap: #f28b82;
        --region: #6fcf97; --state-active: #6fb7ee; --state-background: #f2a05c; --state-suspended: #44505c;
      }
    }
    * { box-sizing: border-box; }
    body { margin: 0 auto; max-width: 1200px; padding: 0 16px 32px; color: var(--fg); background: var(--bg);
      font: 16px/1.45 system-ui, sans-serif; }
    h1 { font-size: 1.4rem; margin: 16px 0 0; overflow-wrap: anywhere; }
    h2 { font-size: 1.15rem; margin: 28px 0 8px; }
    header p, footer p, #keys { color: var(--muted); margin: 4px 0 12px; font-size: .9rem; }
    canvas { display: block; width: 100%; border: 1px solid var(--edge); border-radius: 6px; }
    canvas:focus-visible, button:focus-visible, .scroll:focus-visible { outline: 3px solid var(--accent);
      outline-offset: 1px; }
    #map { height: min(58vh, 560px); min-height: 260px; touch-action: none; cursor: crosshair; }
    #timeline { touch-action: pan-y; }
    .view { position: relative; }
    .buttons { display: flex; flex-wrap: wrap; gap: 6px; margin: 8px 0; }
    .view .buttons { position: absolute; top: 0; right: 8px; }
    button { font: inherit; font-size: .9rem; min-height: 32px; min-width: 32px; padding: 2px 10px; color: var(--fg);
      background: var(--bg); border: 1px solid var(--edge); border-radius: 6px; cursor: pointer; }
    button.at { border: 0; padding: 0; min-height: 0; background: none; color: var(--accent);
      text-decoration: underline; font-variant-numeric: tabular-nums; }
    .buttons, #keys, #said, .legend { display: none; }
    .live .buttons, .live .legend { display: flex; }
    .live #keys, .live #said { display: block; }
    html:not(.live) canvas { display: none; }
    #said { min-height: 3em; margin: 8px 0; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
    .legend { flex-wrap: wrap; gap: 4px 16px; list-style: none; padding: 0; margin: 8px 0; font-size: .9rem; }
    .legend b { display: inline-block; width: 1.2em; }
    .enter { color: var(--enter); } .exit { color: var(--exit); } .move { color: var(--move); }
    .visit { color: var(--visit); } .wake { color: var(--wake); } .gap { color: var(--gap); }
    .key { display: inline-block; width: 18px; height: 10px; margin-right: 6px; }
    .key.line { height: 0; border-top: 3px solid var(--accent); vertical-align: middle; }
    .key.faint { border-color: var(--faint); }
    .key.dot { width: 8px; height: 8px; border-radius: 4px; background: var(--accent); }
    .key.region { border: 1.5px solid var(--region); }
    .key.on, .key.active { background: var(--accent); }
    .key.background { background: var(--state-background); }
    .key.suspended { height: 5px; background: var(--state-suspended); }
    dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(230px, 1fr)); gap: 10px 24px; margin: 0; }
    dt { color: var(--muted); font-size: .85rem; }
    dd { margin: 0; overflow-wrap: anywhere; }
    .scroll { overflow-x: auto; margin-bottom: 16px; }
    table { border-collapse: collapse; width: 100%; font-size: .92rem; }
    caption { text-align: left; color: var(--muted); padding: 4px 0; }
    th, td { text-align: left; padding: 4px 12px 4px 0; border-bottom: 1px solid var(--edge); vertical-align: top; }
    th { font-weight: 600; }
    tbody th { font-weight: 400; white-space: nowrap; }
    th.n { text-align: right; padding-left: 12px; }
    td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
    tr.selected { background: color-mix(in srgb, var(--accent) 18%, transparent); }
    small { color: var(--muted); }
    .bar { position: relative; display: block; min-width: 120px; height: 14px; margin-top: 4px; }
    .bar i { position: absolute; inset: 0 auto 0 0; background: var(--accent); }
    .bar b { position: absolute; top: 6px; height: 2px; background: var(--fg); }
    .picture { width: 100%; max-width: 720px; height: auto; }
    .picture .grid { stroke: var(--edge); }
    .picture .label { fill: var(--muted); font-size: 12px; }
    .picture .mark { fill: var(--accent); }
    .picture .markname { fill: var(--bg); font-size: 12px; font-weight: 600; }
    @media (max-width: 640px) {
      body { padding: 0 10px 24px; }
      #map { height: min(52vh, 420px); }
      button { min-height: 40px; min-width: 40px; }
      button.at { min-height: 0; }
      dl { grid-template-columns: 1fr 1fr; gap: 8px 12px; }
    }
    @media print {
      body { max-width: none; font-size: 11pt; }
      .live .buttons, .live #keys, .live #said { display: none; }
      button.at { color: inherit; text-decoration: none; }
      section.views, tr, .picture { break-inside: avoid; }
      .scroll { overflow: visible; }
      * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
    }

    """#
}
