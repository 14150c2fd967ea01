# %% [markdown]
# # How often is each place visited, and for how long?
#
# Ten years of tracks lie as Parquet with the columns track, time, lat, lon and acc_m. Run the cells in a notebook, or
# the file with `spark-submit`.

# %%
import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.window import Window

import locwatch_spark

fixes_path, regions_path, output_path = sys.argv[1:4]
spark = SparkSession.builder.appName("visits per place").getOrCreate()

# %% [markdown]
# The events are those of `locwatch replay` on each track. Write them once; every question after that is plain SQL.

# %%
fixes = spark.read.parquet(fixes_path)
events = locwatch_spark.replay(fixes, regions=regions_path)
events.write.mode("overwrite").parquet(output_path)

# %% [markdown]
# Each exit belongs to the enter before it.

# %%
events = spark.read.parquet(output_path).where(F.col("type").isin("region.enter", "region.exit"))
before = Window.partitionBy("track", "region").orderBy("id")
visits = (
    events.withColumn("entered", F.lag("time").over(before))
    .where("type = 'region.exit'")
    .withColumn("seconds", F.unix_timestamp(F.to_timestamp("time")) - F.unix_timestamp(F.to_timestamp("entered")))
)
visits.groupBy("region").agg(F.count("*").alias("visits"), F.avg("seconds").alias("mean_s")).orderBy(
    F.desc("visits")).show(20)
