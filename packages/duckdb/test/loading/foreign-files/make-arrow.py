# Writes a column of each type of Arrow, in both formats with each compression, and files that cannot be loaded, into the
# folder of the first argument. python-writers.long.test.ts has the values as the engine has them.
import datetime as dt, decimal, sys
import numpy as np, pyarrow as pa
D=sys.argv[1]+"/"
N=decimal.Decimal
long="x"*30
def ext(name,storage): return pa.field("",storage.type,metadata={"ARROW:extension:name":name})
c={
 "nulls":pa.nulls(3),
 "bool":pa.array([True,None,False]),
 "i8":pa.array([-128,None,127],pa.int8()),"i16":pa.array([-2**15,None,1],pa.int16()),"i32":pa.array([-2**31,None,1],pa.int32()),"i64":pa.array([-2**63,None,2**53+1],pa.int64()),
 "u8":pa.array([255,None,0],pa.uint8()),"u16":pa.array([65535,None,0],pa.uint16()),"u32":pa.array([2**32-1,None,0],pa.uint32()),"u64":pa.array([2**64-1,None,0],pa.uint64()),
 "f16":pa.array([np.float16(1.5),None,np.float16(-0.0)],pa.float16()),"f32":pa.array([0.1,None,float("inf")],pa.float32()),"f64":pa.array([0.1,None,-0.0]),
 "d32":pa.array([N("1.10"),None,N("-99999.99")],pa.decimal32(7,2)),"d64":pa.array([N("1.10"),None,N("-123456789012345.67")],pa.decimal64(17,2)),
 "d128":pa.array([N("1.10"),None,N("-"+"9"*36+".99")],pa.decimal128(38,2)),"d256":pa.array([N("1.10"),None,N("-12345678901234567890.12")],pa.decimal256(30,2)),
 "d3":pa.array([N("1.1"),None,N("-9.9")],pa.decimal128(3,1)),"d9":pa.array([N("1.1"),None,N("-99999999.9")],pa.decimal128(9,1)),
 "text":pa.array(["a\0b",None,"\ufeffé"]),"large":pa.array(["a",None,""],pa.large_string()),"view":pa.array([long,None,"é"],pa.string_view()),
 "bin":pa.array([b"\xff",None,b""]),"lbin":pa.array([b"\xff",None,b""],pa.large_binary()),"vbin":pa.array([long.encode(),None,b"\xff"],pa.binary_view()),"fbin":pa.array([b"ab",None,b"\0\xff"],pa.binary(2)),
 "date":pa.array([dt.date(1,1,1),None,dt.date(9999,12,31)]),"date64":pa.array([dt.date(1,1,1),None,dt.date(9999,12,31)],pa.date64()),
 "t32s":pa.array([1,None,86399],pa.time32("s")),"t32ms":pa.array([1,None,86399999],pa.time32("ms")),"t64us":pa.array([1,None,86399999999],pa.time64("us")),"t64ns":pa.array([1,None,86399999999999],pa.time64("ns")),
 "tss":pa.array([-1,None,2**32],pa.timestamp("s")),"tsms":pa.array([-1,None,2**52],pa.timestamp("ms")),"tsus":pa.array([-1,None,2**53+1],pa.timestamp("us")),"tsns":pa.array([-1,None,2**62+1],pa.timestamp("ns")),
 "tzs":pa.array([-1,None,2**32],pa.timestamp("s","UTC")),"tzms":pa.array([-1,None,2**52],pa.timestamp("ms","+02:00")),"tzus":pa.array([-1,None,2**53+1],pa.timestamp("us","Europe/Berlin")),"tzns":pa.array([-2001,None,2**62+1],pa.timestamp("ns","UTC")),
 "durs":pa.array([-1,None,90],pa.duration("s")),"durns":pa.array([-1000,None,2**62//1000*1000],pa.duration("ns")),
 "mdn":pa.array([pa.MonthDayNano([-1,2,-3000]),None,pa.MonthDayNano([0,0,0])],pa.month_day_nano_interval()),
 "list":pa.array([[1,None],None,[]],pa.list_(pa.int32())),"llist":pa.array([["a",None],None,[]],pa.large_list(pa.string())),"lview":pa.array([[1,None],None,[]],pa.list_view(pa.int32())),"llview":pa.array([[[1],None],None,[]],pa.large_list_view(pa.list_(pa.int32()))),
 "fixed":pa.array([[1,None],None,[3,4]],pa.list_(pa.int64(),2)),"fixedl":pa.array([[["a"],None],None,[[],["b","c"]]],pa.list_(pa.list_(pa.string()),2)),
 "struct":pa.array([{"a":1,"b":{"c":[N("1.5")]}},None,{"a":None,"b":None}],pa.struct([("a",pa.int8()),("b",pa.struct([("c",pa.list_(pa.decimal128(5,1)))]))])),
 "map":pa.array([[("k",[1,None]),("l",None)],None,[]],pa.map_(pa.string(),pa.list_(pa.int32()))),"mapts":pa.array([[(2**62+1,1),(2**62,2)],None,[]],pa.map_(pa.timestamp("ns"),pa.int8())),
 "dict":pa.array(["b","a"]).take(pa.array([0,None,1])).dictionary_encode(),"dictnull":pa.DictionaryArray.from_arrays(pa.array([0,1,2],pa.uint8()),pa.array(["a",None,"b"])),
 "dictlist":pa.DictionaryArray.from_arrays(pa.array([1,None,0],pa.int16()),pa.array([[1],[2,3]])),
 "indict":pa.array([[{"k":"a"}],None,[{"k":"a"},{"k":"b"}]],pa.list_(pa.struct([("k",pa.dictionary(pa.int32(),pa.string()))]))),
 "sparse":pa.UnionArray.from_sparse(pa.array([0,1,1],pa.int8()),[pa.array([1,2,3]),pa.array(["a",None,"c"])],["n","t"]),
 "dense":pa.UnionArray.from_dense(pa.array([5,9,5],pa.int8()),pa.array([1,0,0],pa.int32()),[pa.array([1,2]),pa.array(["a"])],["n","t"],[5,9]),
 "ree":pa.RunEndEncodedArray.from_arrays(pa.array([2,3],pa.int32()),pa.array(["a",None])),
 "uuid":pa.array([bytes(range(16)),None,b"\xff"*16],pa.uuid()),"json":pa.ExtensionArray.from_storage(pa.json_(),pa.array(['{"a":1.10}',None,"null"])),"bool8":pa.ExtensionArray.from_storage(pa.bool8(),pa.array([1,None,0],pa.int8())),
}
table=pa.table(c)
def write(name,t,**o):
    options=pa.ipc.IpcWriteOptions(**o)
    with (pa.ipc.new_file if name.endswith(".arrow") else pa.ipc.new_stream)(D+name,t.schema,options=options) as w: w.write_table(t)
write("plain.arrow",table); write("zstd.arrows",table,compression="zstd")
# Rows enough for compression, and for several chunks of the engine, in batches that begin anywhere.
def repeated(a):
    try: return pa.concat_arrays([a.slice(0,1),*[a]*1000,a.slice(1,1)])
    except pa.ArrowException: return pa.array([a[0].as_py(),*a.to_pylist()*1000,None],a.type)
many=pa.table({k:repeated(a) for k,a in c.items() if k not in ("ree","dictnull","dense")})
def batches(name,**o):
    with pa.ipc.new_file(D+name,many.schema,options=pa.ipc.IpcWriteOptions(**o)) as w:
        for start in range(0,many.num_rows,2500): w.write_table(many.slice(start,2500))
batches("many.arrow",compression="lz4")
def refused(name,array): write(f"refused-{name}.arrow",pa.table({"n":pa.array(range(len(array))),"bad":array}))
refused("decimal",pa.array([N(1)],pa.decimal256(39,0)))
refused("scale",pa.array([N("1200")],pa.decimal128(4,-2)))
refused("struct",pa.array([{}],pa.struct([])))
refused("members",pa.array([{"a":1,"A":2}],pa.struct([("a",pa.int8()),("A",pa.int8())])))
refused("empty",pa.array([[]],pa.list_(pa.int8(),0)))
refused("key",pa.array([[("a",1),("a",2)]],pa.map_(pa.string(),pa.int8())))
refused("nanos",pa.array([1],pa.duration("ns")))
refused("seconds",pa.array([2**62],pa.timestamp("s")))
refused("day",pa.array([-1],pa.time32("s")))
refused("offset",repeated(c["dense"]).slice(2500))
refused("utf8",pa.Array.from_buffers(pa.string(),1,[None,pa.py_buffer(b"\0\0\0\0\1\0\0\0"),pa.py_buffer(b"\xff")]))
delta=pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)
with pa.ipc.new_stream(D+"refused-delta.arrows",pa.schema([("bad",pa.dictionary(pa.int8(),pa.string()))]),options=delta) as w:
    for words in (["a"],["a","b"]): w.write_batch(pa.record_batch({"bad":pa.DictionaryArray.from_arrays(pa.array([0],pa.int8()),words)}))
with pa.ipc.new_stream(D+"replaced.arrows",pa.schema([("w",pa.dictionary(pa.int8(),pa.string()))])) as w:
    for words in (["a"],["b"]): w.write_batch(pa.record_batch({"w":pa.DictionaryArray.from_arrays(pa.array([0],pa.int8()),words)}))
