// How much of an archive a verifier holds in memory at one time. The limits are above what the service writes into ten gigabytes or
// ten years, and together they keep a verifier below 256 MB, whatever the archive contains (decision 0075).

const mebibyte = 1024 * 1024

export const most = {
  /** Ten years have about 44,000 files: up to eight a day, two for each day outside the period, and the rows. */
  entries: 45_000,
  /** 45,000 names with their headers need about 8 MiB. */
  directoryBytes: 16 * mebibyte,
  /** manifest.json names each file in about 210 bytes and 11 values, and each day in about 420 bytes and 17 values. */
  manifestBytes: 16 * mebibyte,
  manifestValues: 600_000,
  /** manifest-sha256.txt names each file in about 120 bytes. */
  listBytes: 8 * mebibyte,
  /** data/keys/vkeys.txt has a key for each name of a log. */
  keysBytes: 4 * mebibyte,
  /** Any other file that is read as a whole: notes, proofs, signatures. */
  textBytes: 256 * 1024,
  /** The files that describe the archive, such as verify.html, which are only hashed. */
  tagBytes: 16 * mebibyte,
  /** A line of NDJSON, of which the service fills up to six with content. */
  lineBytes: 8 * mebibyte,
  /** Members, elements and structures in one line. A span of telemetry has up to 100,000 fields. */
  lineValues: 500_000,
  /** Structures in structures. Content has up to 100. */
  levels: 250,
  /** What checks remember of records until they have read the rows: about a million objects. */
  tableBytes: 80 * mebibyte,
  /** Signatures below a checkpoint. */
  signatures: 100,
  /** Characters of a text from the archive in a message. */
  detail: 600,
} as const

/** A number of bytes as people write it. */
export const bytesInWords = (bytes: number): string =>
  bytes >= mebibyte ? `${Math.floor(bytes / mebibyte)} MiB` : `${Math.floor(bytes / 1024)} KiB`
