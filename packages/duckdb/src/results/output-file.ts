/** Directory of a result, relative to the directory of its process. It has nothing else, so that its size is that of the result. */
export const outputFolder = "out";

/** File of a result, relative to the directory of the process. */
export const resultFile = `${outputFolder}/result.parquet`;
