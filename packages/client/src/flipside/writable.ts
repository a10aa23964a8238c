/** An object that programs build or change member by member, as they could with the old types. */
export type Writable<T> = { -readonly [Key in keyof T]: T[Key] };
