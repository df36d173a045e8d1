"""Makes zstd1.parquet and zstd2.parquet with pyarrow, with pages of both versions. The crate `parquet` alone can't write zstd."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

numbers = range(200)
names = [f"name {number % 5}" if number % 3 else None for number in numbers]
table = pa.table({"number": pa.array(numbers, pa.int32()), "name": names}).replace_schema_metadata(None)
for version in "12":
    path = Path(__file__).parent / f"zstd{version}.parquet"
    pq.write_table(
        table, path, compression="zstd", data_page_version=f"{version}.0", row_group_size=120, store_schema=False
    )
