# Writes the files of foreign-files.long.test.ts, except sqlite.csv, into the folder of the first argument.
import csv, datetime as dt, sys, os
import pandas as pd, polars as pl, pyarrow as pa, pyarrow.csv as pc, pyarrow.parquet as pq
D=sys.argv[1]+"/"
d,t=dt.date,dt.datetime
ids=[1,2,3,4]; names=["Ada",'a "b", c',"Zoë\nx",None]; prices=[1.5,-0.25,1234567.125,None]
days=[d(2026,1,2),d(1999,12,31),d(1970,1,1),None]; at=[t(2026,1,2,3,4,5),t(1999,12,31,23,59,59,500000),t(1970,1,1),None]; ok=[True,False,True,None]
f=pd.DataFrame({"id":ids,"name":names,"price":prices,"day":days,"at":pd.to_datetime(pd.Series(at)),"ok":pd.array(ok,dtype="boolean")})
f.to_csv(D+"pandas.csv",index=False)
f.to_csv(D+"pandas-quoted.csv",index=False,quoting=csv.QUOTE_NONNUMERIC)
f.to_csv(D+"pandas-comma.csv.gz",index=False,sep=";",decimal=",")
f.to_parquet(D+"pandas.parquet",index=False)
f.to_json(D+"pandas.jsonl",orient="records",lines=True,date_format="iso",date_unit="us")
f.to_json(D+"pandas.json",orient="records",date_format="iso")
# The fastparquet of the stored file is not installed with the other libraries for the long test.
if len(sys.argv)<3: f.assign(day=pd.to_datetime(f["day"])).to_parquet(D+"fastparquet.parquet",engine="fastparquet",index=False)
p=pl.DataFrame({"id":ids,"name":names,"price":prices,"day":days,"at":at,"ok":ok})
p.write_csv(D+"polars.csv"); p.write_parquet(D+"polars.parquet"); p.write_ndjson(D+"polars.ndjson")
p.write_csv(D+"polars-tab.tsv",separator="\t",null_value="NULL")
a=pa.table({"id":pa.array(ids,pa.int32()),"name":pa.array(names).dictionary_encode(),"price":pa.array(prices),"day":pa.array(days),"at":pa.array(at,pa.timestamp("us")),"ok":pa.array(ok)})
pc.write_csv(a.set_column(1,"name",pa.array(names)),D+"pyarrow.csv")
pq.write_table(a,D+"pyarrow.parquet",compression="zstd")
pq.write_table(a.set_column(4,"at",pa.array(at,pa.timestamp("ns"))),D+"pyarrow-int96.parquet",use_deprecated_int96_timestamps=True)
f.to_feather(D+"pandas.feather")
p.write_ipc(D+"polars.arrow",compression="zstd")
with pa.ipc.new_stream(D+"pyarrow.arrows",a.schema) as w: w.write_table(a)
with open(D+"python-csv.csv","w",newline="") as o:
    w=csv.writer(o); w.writerow(["id","name","price","day","at","ok"])
    for r in zip(ids,names,prices,days,at,ok): w.writerow(r)
def write(name,text,enc="utf-8"): open(D+name,"wb").write(text.encode(enc))
h=["id","name","price","day","at","ok"]
# Spark: quotes only where necessary, escape \, ISO times
write("spark.csv",'id,name,price,day,at,ok\n1,Ada,1.5,2026-01-02,2026-01-02T03:04:05.000Z,true\n2,"a \\"b\\", c",-0.25,1999-12-31,1999-12-31T23:59:59.500Z,false\n3,"Zoë\nx",1234567.125,1970-01-01,1970-01-01T00:00:00.000Z,true\n4,,,,,\n')
write("excel-utf8.csv",'\ufeffid;name;price;day;at;ok\r\n1;Ada;1,5;02.01.2026;2026-01-02 03:04:05;TRUE\r\n2;"a ""b"", c";-0,25;31.12.1999;1999-12-31 23:59:59.5;FALSE\r\n3;"Zoë\nx";1234567,125;01.01.1970;1970-01-01 00:00:00;TRUE\r\n4;;;;;\r\n')
write("excel-unicode.tsv",'\ufeffid\tname\tprice\tday\tat\tok\r\n1\tAda\t1.5\t2026-01-02\t2026-01-02 03:04:05\tTRUE\r\n2\t"a ""b"", c"\t-0.25\t1999-12-31\t1999-12-31 23:59:59.5\tFALSE\r\n3\t"Zoë\nx"\t1234567.125\t1970-01-01\t1970-01-01 00:00:00\tTRUE\r\n4\t\t\t\t\t\r\n',"utf-16-le")
write("excel-1252.csv",'id;name;price;day;at;ok\r\n1;Ada;1,5;2026-01-02;2026-01-02 03:04:05;TRUE\r\n2;"a ""b"", c";-0,25;1999-12-31;1999-12-31 23:59:59.5;FALSE\r\n3;"Zoë\nx";1234567,125;1970-01-01;1970-01-01 00:00:00;TRUE\r\n4;;;;;\r\n',"cp1252")
write("r.csv",'"id","name","price","day","at","ok"\n1,"Ada",1.5,2026-01-02,2026-01-02 03:04:05,TRUE\n2,"a ""b"", c",-0.25,1999-12-31,1999-12-31 23:59:59.5,FALSE\n3,"Zoë\nx",1234567.125,1970-01-01,1970-01-01,TRUE\n4,NA,NA,NA,NA,NA\n')
write("r-csv2.csv",'"id";"name";"price";"day";"at";"ok"\n1;"Ada";1,5;2026-01-02;2026-01-02 03:04:05;TRUE\n2;"a ""b"", c";-0,25;1999-12-31;1999-12-31 23:59:59.5;FALSE\n3;"Zoë\nx";1234567,125;1970-01-01;1970-01-01;TRUE\n4;NA;NA;NA;NA;NA\n')
write("mysql-outfile.csv",'1,"Ada",1.5,"2026-01-02","2026-01-02 03:04:05.000000",1\n2,"a \\"b\\", c",-0.25,"1999-12-31","1999-12-31 23:59:59.500000",0\n3,"Zoë\\\nx",1234567.125,"1970-01-01","1970-01-01 00:00:00.000000",1\n4,\\N,\\N,\\N,\\N,\\N\n')
write("postgres-copy.csv",'id,name,price,day,at,ok\n1,Ada,1.5,2026-01-02,2026-01-02 03:04:05,t\n2,"a ""b"", c",-0.25,1999-12-31,1999-12-31 23:59:59.5,f\n3,"Zoë\nx",1234567.125,1970-01-01,1970-01-01 00:00:00,t\n4,,,,,\n')
