/** A JSON value as untyped as `JSON.parse` returns it: programs of the old client compile with this type alone. */
export type Untyped = ReturnType<JSON["parse"]>;

/** An object that programs build or change member by member, as they could with the old types. */
export type Writable<T> = { -readonly [Key in keyof T]: T[Key] };
