import {
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  type MultipartUpload,
} from "@aws-sdk/client-s3";
import type { Storage } from "./storage.ts";

/** Yields the uploads with a prefix that are not complete. The SDK has no pages for this list. */
export async function* uploadsBelow({ client, address }: Storage, prefix: string): AsyncGenerator<MultipartUpload> {
  const within = { Bucket: address.bucket, Prefix: prefix };
  let next: { readonly KeyMarker?: string; readonly UploadIdMarker?: string } | undefined = {};
  while (next !== undefined) {
    const page: ListMultipartUploadsCommandOutput = await client.send(
      new ListMultipartUploadsCommand({ ...within, ...next }),
    );
    yield* page.Uploads ?? [];
    const { IsTruncated, NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page;
    next = IsTruncated && KeyMarker ? { KeyMarker, ...(UploadIdMarker && { UploadIdMarker }) } : undefined;
  }
}
