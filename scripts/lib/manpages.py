#!/usr/bin/env python3
"""manpages.py PROGRAM FOLDER: writes locwatch.1 and a man page for each command, from the program's own help."""

import json
import os
import subprocess
import sys


def escape(text):
    """Text of a man page: no backslash, hyphen or leading dot means anything else than itself."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.split("\n"))


def names(argument):
    words = []
    for name in argument.get("names", []):
        words.append(("-" if name["kind"] == "short" else "--") + name["name"])
    return words


def term(argument):
    value = argument.get("valueName", "")
    if argument["kind"] == "positional":
        return "\\fI" + escape(value) + "\\fR"
    text = ", ".join("\\fB" + escape(word) + "\\fR" for word in names(argument))
    return text + (" \\fI" + escape(value) + "\\fR" if argument["kind"] == "option" else "")


def synopsis(words, command):
    parts = ["\\fB" + escape(" ".join(words)) + "\\fR"]
    arguments = [a for a in command.get("arguments", []) if a.get("shouldDisplay", True)]
    if any(a["kind"] != "positional" for a in arguments):
        parts.append("[\\fIoptions\\fR]")
    for argument in arguments:
        if argument["kind"] == "positional":
            text = term(argument) + ("..." if argument.get("isRepeating") else "")
            if argument.get("parsingStrategy") == "postTerminator":
                text = "\\-\\- " + text
            parts.append("[" + text + "]" if argument.get("isOptional") else text)
    if command.get("subcommands"):
        parts.append("\\fIcommand\\fR")
    return " ".join(parts)


def page(words, command, version, pages):
    name = "-".join(words)
    lines = ['.TH "%s" 1 "" "locwatch %s" "User Commands"' % (name.upper(), version)]
    lines += [".SH NAME", escape(name) + " \\- " + escape(command.get("abstract", "").rstrip("."))]
    lines += [".SH SYNOPSIS", synopsis(words, command)]
    if command.get("discussion"):
        lines += [".SH DESCRIPTION", ".nf", escape(command["discussion"]), ".fi"]
    arguments = [a for a in command.get("arguments", []) if a.get("shouldDisplay", True)]
    if arguments:
        lines.append(".SH OPTIONS")
        flags = {names(argument)[0]: argument for argument in arguments if argument["kind"] == "flag"}
        for argument in arguments:
            text = argument.get("abstract", "")
            # --X and --no-X are two flags of one text.
            opposite = flags.get(names(argument)[0].replace("--no-", "--", 1)) if names(argument) else None
            if opposite and opposite is not argument:
                text = "The opposite of " + names(opposite)[0] + "."
            if argument.get("defaultValue") and "default:" not in text:
                text += " (default: %s)" % argument["defaultValue"]
            lines += [".TP", term(argument), escape(text)]
    commands = [c for c in command.get("subcommands", []) if c["commandName"] != "help"]
    if commands:
        lines.append(".SH COMMANDS")
        for child in commands:
            lines += [".TP", "\\fB" + escape(child["commandName"]) + "\\fR", escape(child.get("abstract", ""))]
    if len(words) == 1:
        lines += [
            ".SH FILES",
            ".TP", "\\fI~/.local/state/locwatch/locwatch.db\\fR", "The state file of a user.",
            ".TP", "\\fI/var/lib/locwatch/locwatch.db\\fR", "The state file of the machine's service.",
            ".SH ENVIRONMENT",
            ".TP", "\\fBXDG_STATE_HOME\\fR", "Where the state file of a user is, instead of ~/.local/state.",
            ".TP", "\\fBSTATE_DIRECTORY\\fR", "Where systemd has a service keep its state file; it comes first.",
            ".TP", "\\fBLOCWATCH_UNITS\\fR", "metric, imperial or nautical, as \\-\\-units.",
            ".TP", "\\fBTZ\\fR", "The zone of times without one, instead of the machine's.",
            ".TP", "\\fBNO_COLOR\\fR", "If set, output has no colours.",
            ".SH EXIT STATUS",
            "0 if all went well; 1 if what was asked about does not hold; else a code of sysexits.h, such as",
            "64 for a mistake on the command line, 65 for bad data, 66 for a file that is not there, 69 for a",
            "service that is not there, 70 for a mistake in locwatch, 73 for a file that can't be created, 74 for a",
            "disk error, 75 for what may work later, 77 for what is not permitted and 78 for bad settings.",
        ]
    related = [" ".join(words[:-1]).replace(" ", "-")] if len(words) > 1 else []
    related += ["-".join(words + [c["commandName"]]) for c in commands]
    if related:
        lines += [".SH SEE ALSO", ",\n".join("\\fB%s\\fR(1)" % escape(name) for name in related)]
    pages[name] = "\n".join(lines) + "\n"
    for child in commands:
        page(words + [child["commandName"]], child, version, pages)


def main():
    program, folder = sys.argv[1:]
    help_text = subprocess.run([program, "--experimental-dump-help"], check=True, capture_output=True).stdout
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    pages = {}
    page(["locwatch"], json.loads(help_text)["command"], version, pages)
    os.makedirs(folder, exist_ok=True)
    for name, text in pages.items():
        with open(os.path.join(folder, name + ".1"), "w", encoding="utf-8") as file:
            file.write(text)


main()
