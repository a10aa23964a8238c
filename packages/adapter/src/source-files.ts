/** File of a data source. Its name stands for one content, which never changes. */
export interface SourceFile {
  /** Such as `shop/3-1a2b3c4d.duckdb`. */
  readonly name: string;
  readonly bytes: number;
  /** Checksum of the content, in the form of the storage. */
  readonly checksum: string;
}

/** Text that says which files the present versions of all sources have. */
export interface SourceIndex {
  readonly text: string;
  /** Differs between any two texts that the storage has had one after the other. */
  readonly version: string;
}

/** Local copy of a file, which stays until it is released. */
export interface OpenedFile {
  readonly path: string;
  /** Releases the copy. A second call does nothing. */
  release(): Promise<void>;
}

/**
 * Files of data sources in a storage that several servers share, and their index. A version of a source is added file by
 * file, and becomes visible when the index that names them is replaced. Methods throw an `UnavailableError` while the
 * storage cannot be reached.
 */
export interface SourceFiles {
  /** Address of the storage, without parameters, for messages. */
  readonly address: string;
  /** Largest size of the local copies together, in bytes. A larger file is copied alone. */
  readonly maxCopyBytes: number;
  /**
   * Reads the index. Returns undefined if there is none, and `known` itself if the index has not changed. A call that
   * starts after a replacement has ended returns the new index, on every server.
   */
  index(known?: SourceIndex): Promise<SourceIndex | undefined>;
  /**
   * Replaces the index, unless it is no longer `before`. Of several callers with the same `before`, one gets true.
   * @param before undefined if there was none
   */
  replaceIndex(before: SourceIndex | undefined, text: string): Promise<boolean>;
  /** Stores a copy of a local file durably. @throws {Error} if the name is taken */
  add(name: string, path: string): Promise<SourceFile>;
  /**
   * Opens a local copy of a file, which is fetched unless this server has it. Callers that open the same file at the same
   * time share one fetch. Returns undefined if the file does not exist.
   * @throws {Error} if the stored file has another size or checksum, or copies in use leave no space for too long
   */
  open(file: SourceFile): Promise<OpenedFile | undefined>;
  /** Removes the local copies of files that are not needed. A copy in use is removed when it is released. */
  sweepCopies(isNeeded: (name: string) => boolean): Promise<void>;
  /**
   * Removes the stored files, and the incomplete ones of calls of `add`, for whose names `isNeeded` returns false.
   * @param isNeeded also called for incomplete files: a call of `add`, here or on another server, may be in progress.
   * `addedAt` is the time at which the file was stored, or its incomplete upload began, in milliseconds
   */
  sweep(isNeeded: (name: string, addedAt: number) => boolean): Promise<void>;
  /** Ends the connections to the storage. */
  close(): Promise<void>;
}

/**
 * Copies the object at an address, or all objects below it, into a local directory. Their names are numbers with the
 * ending of the object, such as `1.csv.gz`.
 * @param accepts returns false for the name of an object that is not copied
 * @returns the number of copied objects
 * @throws {Error} one line without a secret: the address is invalid, an object cannot be read, or it changed meanwhile
 */
export type FetchObjects = (url: string, directory: string, accepts: (name: string) => boolean) => Promise<number>;
