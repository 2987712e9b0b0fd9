import type { JsonObject, JsonValue } from '#lib/json.ts'
import type { State, VerdictName } from '#lib/verify/report.ts'
import { type ArchiveFiles, type Content, packArchive, resealed } from './forged-archive.ts'
import { relogged } from './forged-log.ts'

// Archives that would fill the memory of a program that trusts their sizes. Each says what a verifier must find.

export type Bomb = {
  name: string
  make: () => Promise<Buffer>
  expected: Partial<Record<VerdictName, State>>
  /** What one of the checks says. Undefined where only the memory matters. */
  says: string | undefined
  /** Of verify.mjs: 2 for what can't be read as an archive. */
  exit: 1 | 2
}

type Original = { bytes: Buffer; folder: string; files: ArchiveFiles; today: string }

const endBytes = 98

const mebibyte = 1024 * 1024

/** `bytes` of this text over and over, in pieces of a mebibyte. */
async function* repeated(text: string, bytes: number): AsyncGenerator<Buffer> {
  const piece = Buffer.alloc(mebibyte, text)
  for (let left = bytes; left > 0; left -= piece.length) yield left >= piece.length ? piece : piece.subarray(0, left)
}

async function* joined(...parts: (string | AsyncIterable<Buffer>)[]): AsyncGenerator<Buffer> {
  for (const part of parts)
    if (typeof part === 'string') yield Buffer.from(part)
    else yield* part
}

const nested = (levels: number, value: JsonValue): JsonValue =>
  levels === 0 ? value : { inner: nested(levels - 1, value) }

/** The files with these records first in the open day, when the rows were read, too. */
function withRecords({ files, today }: Pick<Original, 'files' | 'today'>, more: readonly JsonObject[]) {
  let size = 0
  const logged = relogged(files, today, (records) => {
    const all = [...more.map((record) => ({ ...record, at: records[0]?.at ?? null })), ...records]
    size = all.length
    return all
  })
  return resealed(logged, {
    manifest: (one) => ({ ...one, rows: { allBound: true, spansBound: true, asOf: [{ date: today, size }] } }),
  })
}

/** More objects than a verifier has memory for, committed to by records of a forger. `objects`: how many. */
export const objectBomb = ({ folder, files, today }: Original, objects: number): Bomb => ({
  name: 'records that commit to many objects, logged and sealed again',
  make: async () => {
    const inOne = 40_000
    const states = (record: number) =>
      Array.from({ length: inOne }, (_, index) => ({
        ...{ type: 'agent', id: `${record * inOne + index}`, revision: 1, form: 1 },
        digest: `sha256:${'0'.repeat(64)}`,
      }))
    const more = Array.from({ length: Math.ceil(objects / inOne) }, (_, index) => ({
      ...{ action: 'state.recorded', auditId: `a${index}`, states: states(index) },
    }))
    return await packArchive(folder, withRecords({ files, today }, more))
  },
  expected: { origin: 'fails' },
  says: 'more records than this verifier can compare with their rows in 256 MB',
  exit: 1,
})

/** `bytes`: unpacked, of each bomb that is one long line or one large file. */
export function archiveBombs({ bytes: original, folder, files, today }: Original, bytes: number): Bomb[] {
  const packed = (...changed: (readonly [string, Content])[]) => {
    const content = new Map<string, Content>([...files, ...changed])
    return async () => await packArchive(folder, content)
  }
  const bomb = (
    path: string,
    what: string,
    content: () => Content,
    says: string | undefined,
    exit: Bomb['exit'] = 1,
  ): Bomb => ({
    name: `${path}: ${what}`,
    make: async () => await packed([path, content()])(),
    expected: { integrity: 'fails' },
    says,
    exit,
  })
  const audit = `data/audit/${today}.ndjson`
  const long = (path: string) => `${path} has a line of more than 8 MiB, which the service never writes.`
  const row = (value: AsyncIterable<Buffer>) => joined('{"resource":"', value, '"}\n')
  const below = 8 * mebibyte - 100
  return [
    bomb('data/omissions.ndjson', 'one line of zeros', () => repeated('\0', bytes), long('data/omissions.ndjson')),
    bomb(audit, 'one line', () => joined('{"leaf":"', repeated('a', bytes), '"}\n'), long(audit)),
    bomb('data/agents.ndjson', 'one line', () => repeated('[', bytes), long('data/agents.ndjson')),
    bomb('README.txt', 'large', () => repeated('a\n', bytes), 'README.txt is larger than 16 MiB'),
    bomb('manifest.json', 'large', () => repeated(' ', bytes), 'manifest.json is larger than 16 MiB', 2),
    bomb(
      'manifest.json',
      'of lists',
      () => joined('[', repeated('[],', 8 * mebibyte), '[]]'),
      'more than 600000 values',
      2,
    ),
    bomb('manifest.json', 'of many levels', () => repeated('[', 100_000), 'more than 250 levels', 2),
    bomb(
      'manifest-sha256.txt',
      'of empty lines',
      () => repeated('\n', 8 * mebibyte),
      'manifest-sha256.txt is malformed',
    ),
    bomb('manifest-sha256.txt', 'large', () => repeated('\n', bytes), 'manifest-sha256.txt is larger than 8 MiB'),
    bomb('tagmanifest-sha256.txt', 'large', () => repeated('\n', bytes), 'tagmanifest-sha256.txt is larger than 8 MiB'),
    bomb('data/keys/vkeys.txt', 'large', () => repeated('a', bytes), 'data/keys/vkeys.txt is larger than 4 MiB'),
    bomb(
      `data/proofs/${today}.checkpoint`,
      'large',
      () => repeated('a\n', bytes),
      `${today}.checkpoint is larger than 256 KiB`,
    ),
    bomb(`data/proofs/${today}.leaves`, 'large', () => repeated('\0', bytes), 'leaves, but'),
    bomb(
      'seal/bundle.sigstore.json',
      'large',
      () => repeated('a', bytes),
      'seal/bundle.sigstore.json is larger than 256 KiB',
    ),
    bomb(
      'data/approvals.ndjson',
      'lists in a line',
      () => joined('[', repeated('[],', 3 * mebibyte), '[]]\n'),
      undefined,
    ),
    bomb(
      audit,
      'objects in a line',
      () => joined('[', repeated('{"a":1},', 7 * mebibyte), '0]\n'),
      'more than 500000 values',
    ),
    // Within each limit.
    bomb(
      'data/omissions.ndjson',
      'lines of almost 8 MiB',
      () => joined(...Array.from({ length: 6 }, () => row(repeated('a', below)))),
      undefined,
    ),
    bomb(
      audit,
      'lines of almost 8 MiB that need two bytes for each character',
      () =>
        joined(
          ...Array.from({ length: 6 }, () =>
            joined('{"leaf":{"seq":0,"auditId":""},"nonce":"', repeated('\u0416', below - 200), '"}\n'),
          ),
        ),
      undefined,
    ),
    {
      name: 'too many files',
      make: async () => {
        const copy = Buffer.from(original)
        // Both counts in the end of the directory.
        for (const at of [24, 32]) copy.writeBigUInt64LE(45_001n, copy.length - endBytes + at)
        return copy
      },
      expected: { integrity: 'fails' },
      says: 'The archive has more than 45000 files',
      exit: 2,
    },
    {
      name: 'a manifest of many kinds of objects, sealed again',
      make: async () =>
        await packArchive(
          folder,
          resealed(files, {
            manifest: (one) => ({
              ...one,
              note: Array.from({ length: 190_000 }, (_, index) => ({ [`m${index}`]: 0 })),
            }),
          }),
        ),
      expected: { origin: 'fails', log: 'not checked' },
      says: 'the member note of manifest.json',
      exit: 1,
    },
    ...(
      [
        ['texts', (): JsonValue => 'a'.repeat(below - 1000)],
        ['texts that need two bytes for each character', (): JsonValue => '\u0416'.repeat((below - 1000) / 2)],
        ['texts below 200 levels', (): JsonValue => nested(200, 'a'.repeat(below - 5000))],
        ['objects', (): JsonValue => Array.from({ length: 160_000 }, (_, index) => ({ [`m${index}`]: 0 }))],
        ['empty lists', (): JsonValue => Array.from({ length: 249_000 }, () => [])],
      ] as const
    ).map(
      ([what, value]): Bomb => ({
        name: `records of ${what}, logged and sealed again`,
        make: async () => {
          const details = { text: value() }
          const more = Array.from({ length: 4 }, (_, index) => ({
            action: 'test.noted',
            auditId: `a${index}`,
            details,
          }))
          return await packArchive(folder, withRecords({ files, today }, more))
        },
        expected: { origin: 'fails' },
        says: undefined,
        exit: 1,
      }),
    ),
  ]
}
