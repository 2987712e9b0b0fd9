import { createHash } from 'node:crypto'
import type { JsonValue } from '#lib/json.ts'
import type { State, VerdictName } from '#lib/verify/report.ts'
import { type ArchiveFiles, packArchive, resealed } from './forged-archive.ts'
import { hiddenAfterStream, withPacked } from './packed-entry.ts'

// Changes to an archive, each with the verdicts that it must get. The reader knows the service's fingerprint.

export type ArchiveChange = {
  name: string
  make: () => Promise<Buffer> | Buffer
  expected: Partial<Record<VerdictName, State>>
  /** What one of the checks says. */
  says?: string
  /** The files of the changed archive, for programs that check extracted files. */
  files?: ArchiveFiles
  /** The log-keys.json that the reader has. */
  keys?: JsonValue
}

export type Original = { bytes: Buffer; folder: string; files: ArchiveFiles; today: string }

const sha256 = (data: Buffer): string => createHash('sha256').update(data).digest('hex')

/** Each change, in an order in which every n-th one is a fair share. */
export function archiveChanges(original: Original): ArchiveChange[] {
  return [
    ...bytesOfFiles(original),
    ...listsMadeAgain(original),
    ...sealedAgain(original),
    ...unknownContent(original),
    ...otherSpellings(original),
    ...boundRows(original),
    ...telemetrySpans(original),
    ...tracesListed(original),
    ...containers(original),
  ]
}

const packed =
  ({ folder }: Original, files: ArchiveFiles) =>
  () =>
    packArchive(folder, files)

/** Bytes of each file changed, and nothing else. */
function* bytesOfFiles(original: Original): Generator<ArchiveChange> {
  for (const [path, data] of original.files)
    for (const [what, change] of edits(data)) {
      const files = new Map(original.files)
      if (change === undefined) files.delete(path)
      else files.set(path, change)
      yield { name: `${path}: ${what}`, make: packed(original, files), files, expected: { integrity: 'fails' } }
    }
}

function* edits(data: Buffer): Generator<[what: string, changed: Buffer | undefined]> {
  yield ['removed', undefined]
  yield ['a newline more', Buffer.concat([data, Buffer.from('\n')])]
  if (data.length === 0) return
  yield ['the last byte less', data.subarray(0, -1)]
  yield ['emptied', Buffer.alloc(0)]
  for (const [where, at] of [
    ['first', 0],
    ['middle', data.length >> 1],
    ['last', data.length - 1],
  ] as const) {
    const flipped = Buffer.from(data)
    flipped[at] = (flipped[at] ?? 0) ^ 1
    yield [`a bit in its ${where} byte`, flipped]
  }
}

/** A file changed with every list of digests made again, by a forger without any key. */
function* listsMadeAgain(original: Original): Generator<ArchiveChange> {
  for (const [path, data] of original.files) {
    if (path.startsWith('seal/') || /manifest-sha256\.txt$/.test(path)) continue
    const files = new Map([...original.files, [path, Buffer.concat([data, Buffer.from('{}\n')])]])
    const listOf = (wanted: (path: string) => boolean) =>
      Buffer.from(
        [...files].flatMap(([one, content]) => (wanted(one) ? [`${sha256(content)}  ${one}\n`] : [])).join(''),
      )
    files.set(
      'manifest-sha256.txt',
      listOf((one) => one.startsWith('data/')),
    )
    files.set(
      'tagmanifest-sha256.txt',
      listOf((one) => !/^(?:data|seal)\/|^tagmanifest/.test(one)),
    )
    yield { name: `${path}, lists made again`, make: packed(original, files), files, expected: { integrity: 'fails' } }
  }
}

/** Evidence changed and everything made again and sealed with a key of the forger: only the fingerprint differs, and the log. */
function* sealedAgain(original: Original): Generator<ArchiveChange> {
  const lines = (data: Buffer) => String(data).split('\n').slice(0, -1)
  for (const [path, data] of original.files) {
    if (!path.startsWith('data/')) continue
    const logged = /^data\/(?:audit|proofs|keys)\//.test(path)
    for (const [what, edit] of rewrites) {
      const changed = path.endsWith('.ndjson')
        ? Buffer.from(
            edit(lines(data))
              .map((line) => `${line}\n`)
              .join(''),
          )
        : Buffer.concat([data, Buffer.from('x')])
      if (changed.equals(data)) continue
      const files = resealed(original.files, { files: (content) => void content.set(path, changed) })
      yield {
        name: `${path} ${what}, sealed again`,
        make: packed(original, files),
        files,
        expected: { integrity: 'holds', origin: 'fails', ...(logged ? { log: 'fails' as const } : {}) },
      }
      if (!path.endsWith('.ndjson')) break
    }
    const without = resealed(original.files, { files: (content) => void content.delete(path) })
    yield {
      name: `${path} removed, sealed again`,
      make: packed(original, without),
      files: without,
      expected: { origin: 'fails', ...(logged ? { log: 'fails' as const } : {}) },
    }
  }
}

const rewrites: readonly (readonly [string, (lines: string[]) => string[]])[] = [
  ['with its first line twice', (lines) => [...lines.slice(0, 1), ...lines]],
  ['without its first line', (lines) => lines.slice(1)],
  ['without its last line', (lines) => lines.slice(0, -1)],
  ['in another order', (lines) => lines.toReversed()],
]

/** Content that no check is about, sealed by someone who has the key of the archive. */
function* unknownContent(original: Original): Generator<ArchiveChange> {
  const audit = `data/audit/${original.today}.ndjson`
  const withMember = (path: string, name: string) => (content: Map<string, Buffer>) => {
    const [first = '', ...rest] = String(content.get(path)).split('\n')
    content.set(path, Buffer.from([JSON.stringify({ ...JSON.parse(first), [name]: 'x' }), ...rest].join('\n')))
  }
  const changes: [string, Parameters<typeof resealed>[1], ArchiveChange['expected'], says: string][] = [
    ...['data/more.ndjson', 'data/more.txt', 'data/audit/more.ndjson', 'data/traces/2026-01-01.more.ndjson'].map(
      (path): (typeof changes)[number] => [
        `${path} added`,
        { files: (content) => void content.set(path, Buffer.from('{"approved":true}\n')) },
        { log: 'not checked' },
        `does not know ${path}`,
      ],
    ),
    ...[
      [
        'data/report.html',
        'data/report.html sums up the rows for people, and as in every archive only the seal covers it',
      ],
      ['README.txt', 'only the seal covers README.txt, verify.html, verify.mjs'],
      ['verify.mjs', 'only the seal covers README.txt, verify.html, verify.mjs'],
    ].map(([path = '', says = '']): (typeof changes)[number] => [
      `${path} replaced`,
      { files: (content) => void content.set(path, Buffer.from('All requests were rejected.\n')) },
      { integrity: 'holds', log: 'holds', completeness: 'holds' },
      says,
    ]),
    [
      'a member of the manifest',
      { manifest: (one) => ({ ...one, note: 'x' }) },
      { log: 'not checked' },
      'the member note of manifest.json',
    ],
    [
      'a member of a day',
      {
        manifest: (one) => ({ ...one, days: [one.days ?? []].flat().map((day) => ({ ...Object(day), note: 'x' })) }),
      },
      { log: 'not checked' },
      'the member days.note of manifest.json',
    ],
    [
      'a member of a row',
      { files: withMember('data/members.ndjson', 'note') },
      { log: 'not checked' },
      'note in data/members.ndjson',
    ],
    [
      'a member of a line of the log',
      { files: withMember(audit, 'note') },
      { log: 'fails' },
      'a member that records do not have: note',
    ],
    [
      'a kind of records',
      { manifest: (one) => ({ ...one, counts: { ...Object(one.counts), votes: 1 } }) },
      { integrity: 'fails' },
      'counts votes, but no file has them',
    ],
    [
      'no number of records',
      {
        manifest: (one) => ({
          ...one,
          files: [one.files ?? []].flat().map((file) => {
            const { records: _records, ...rest } = Object(file)
            return rest
          }),
        }),
      },
      { integrity: 'fails' },
      'does not count the records in',
    ],
  ]
  const steps = 'data/execution-steps.ndjson'
  const withoutSteps = (content: Map<string, Buffer>) => void content.delete(steps)
  changes.push(
    ['no steps of executions', { files: withoutSteps }, { log: 'fails' }, `${steps} is missing.`],
    [
      'no steps of executions, as in archives of earlier services',
      {
        files: withoutSteps,
        manifest: (one) => {
          const { steps: _steps, ...rows } = Object(one.rows)
          return { ...one, rows }
        },
      },
      { log: 'holds', completeness: 'holds' },
      'rows are as the log commits to them',
    ],
  )
  for (const [name, change, expected, says] of changes)
    yield { name: `${name}, sealed again`, make: packed(original, resealed(original.files, change)), expected, says }
}

/** Lines that this verifier reads as before, and other programs perhaps as the opposite. */
function* otherSpellings(original: Original): Generator<ArchiveChange> {
  const edits: [string, (line: string) => string][] = [
    ['a member twice', (line) => line.replace(/"(\w+)":("[^"]*"|\d+)/, '"$1":"x","$1":$2')],
    [
      'an escape in a name',
      (line) => line.replace(/"(\w)(\w*)":/, (_all, first, more) => `"${escaped(first)}${more}":`),
    ],
    ['another spelling of a number', (line) => line.replace(/:(\d+)([,}])/, ':$1.0$2')],
    ['a space', (line) => line.replace(':', ': ')],
    ['an empty line before it', (line) => `\n${line}`],
  ]
  for (const path of [`data/audit/${original.today}.ndjson`, 'data/approvals.ndjson', 'data/members.ndjson'])
    for (const [what, edit] of edits) {
      const before = String(original.files.get(path) ?? '')
      const changed = Buffer.from(edit(before))
      // Not every archive has such rows.
      if (before === '' || changed.equals(Buffer.from(before))) continue
      const files = resealed(original.files, { files: (content) => void content.set(path, changed) })
      yield {
        name: `${path}: a line with ${what}, sealed again`,
        make: packed(original, files),
        files,
        expected: { origin: 'fails', log: 'fails' },
        says: what.startsWith('an empty') ? 'has an empty line' : 'not in the form in which the service writes it',
      }
    }
}

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** A row that is bound to the log, in each kind of file, changed by someone who seals everything again with another key. */
function* boundRows(original: Original): Generator<ArchiveChange> {
  const rowsOf = (data: Buffer): Row[] =>
    String(data)
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
  const all = [...original.files].flatMap(([path, data]) =>
    /^data\/[a-z-]+\.ndjson$/.test(path)
      ? rowsOf(data).flatMap((row) => (row.bound === undefined ? [] : [{ path, row }]))
      : [],
  )
  for (const [path, data] of original.files) {
    const [row, ...others] = all.filter((one) => one.path === path).map((one) => one.row)
    if (row === undefined) continue
    const salt = all.find((one) => one.row.bound.salt !== row.bound.salt)?.row.bound.salt ?? ''
    for (const [name, changed, expected] of changesOf(row, salt)) {
      const lines = [...changed, ...others].map((one) => `${JSON.stringify(one)}\n`).join('')
      const files = resealed(original.files, { files: (content) => void content.set(path, Buffer.from(lines)) })
      if (files.get(path)?.equals(data)) throw new Error(`${path}, ${name}: nothing was changed.`)
      yield {
        name: `${path}: ${name}`,
        make: packed(original, files),
        files,
        expected: { origin: 'fails', ...expected },
      }
    }
  }
}

type Row = {
  state: Record<string, JsonValue>
  bound: { type: string; id: string; revision: number; form: number; salt: string }
  values?: Record<string, { salt: string; value: JsonValue }>
}

function* changesOf(row: Row, salt: string): Generator<[name: string, rows: object[], ArchiveChange['expected']]> {
  const { state, bound, values = {} } = row
  const wrong = { log: 'fails' } as const
  const moved = (text: JsonValue) =>
    typeof text === 'string' ? text.replace(/.$/, (last) => (last === '0' ? '1' : '0')) : text
  for (const name of Object.keys(state))
    yield [`${name} of a row altered`, [{ ...row, state: { ...state, [name]: [state[name] ?? null] } }], wrong]
  const [first = ''] = Object.keys(state)
  const { [first]: _left, ...rest } = state
  yield ['a row with a member less', [{ ...row, state: rest }], wrong]
  yield ['a row with a member more', [{ ...row, state: { ...state, more: null } }], wrong]
  yield ['a row deleted', [], { completeness: 'fails' }]
  yield ['a row without its commitment', [state], { log: 'not checked', completeness: 'fails' }]
  yield ['a row twice', [row, row], wrong]
  const older = { ...bound, revision: bound.revision - 1 }
  yield ['an older revision of a row', [{ ...row, bound: older }], wrong]
  yield ['a later revision of a row', [{ ...row, bound: { ...bound, revision: bound.revision + 1 } }], wrong]
  yield ['another form of a row', [{ ...row, bound: { ...bound, form: bound.form + 1 } }], wrong]
  yield ['the id of a row moved', [{ ...row, bound: { ...bound, id: moved(bound.id) } }], wrong]
  const away = Object.fromEntries(
    Object.entries(state).map(([name, value]) => [
      name,
      typeof value === 'string' && bound.id.includes(value) ? moved(value) : value,
    ]),
  )
  yield ['a whole row moved to another id', [{ ...row, state: away, bound: { ...bound, id: moved(bound.id) } }], wrong]
  yield ['the salt of another row', [{ ...row, bound: { ...bound, salt } }], wrong]
  yield ['the type of another row', [{ ...row, bound: { ...bound, type: 'approver_group' } }], wrong]
  for (const [name, one] of Object.entries(values)) {
    yield [`the value of ${name} altered`, [{ ...row, values: { ...values, [name]: { ...one, value: 'x' } } }], wrong]
    yield [`the salt of ${name} altered`, [{ ...row, values: { ...values, [name]: { ...one, salt } } }], wrong]
  }
}

/** Spans of telemetry, and what proves them, changed by someone who seals everything again with another key. */
function* telemetrySpans(original: Original): Generator<ArchiveChange> {
  const { today, files } = original
  const path = (kind: string) => `data/traces/${today}.${kind}.ndjson`
  type Lines = Record<string, JsonValue>[]
  const linesOf = (kind: string): Lines =>
    String(files.get(path(kind)))
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
  function* change(kind: string, what: string, edit: (lines: Lines) => Lines, expected: ArchiveChange['expected']) {
    const lines = linesOf(kind)
    const text = edit(lines)
      .map((line) => `${JSON.stringify(line)}\n`)
      .join('')
    const changed = resealed(files, { files: (content) => void content.set(path(kind), Buffer.from(text)) })
    // Not every archive has a line that this would change.
    if (changed.get(path(kind))?.equals(files.get(path(kind)) ?? Buffer.alloc(0))) return
    const name = `${path(kind)}: ${what} of a span of telemetry`
    yield { name, make: packed(original, changed), expected: { origin: 'fails', ...expected } } as const
  }
  /** Edits the first line that is another one after it. */
  const first = (edit: (line: Lines[number]) => Lines[number]) => (lines: Lines) => {
    const at = lines.findIndex((line) => JSON.stringify(edit(line)) !== JSON.stringify(line))
    return lines.map((line, index) => (index === at ? edit(line) : line))
  }
  const wrong = { log: 'fails' } as const
  for (const [member, value] of Object.entries({
    traceId: '0'.repeat(32),
    spanId: '0'.repeat(16),
    parentSpanId: '0'.repeat(16),
    name: 'other',
    kind: 'tool',
    status: 'error',
    startedAt: '2026-01-01T00:00:00.000001Z',
    endedAt: '2026-01-01T00:00:00.000001Z',
    attributes: [{ key: 'x', value: 1 }],
    events: [],
    links: [],
    facts: { model: 'x' },
    auditId: '01900000-0000-7000-8000-000000000001',
    batchIndex: 7,
    resourceIndex: null,
  }))
    yield* change(
      'spans',
      `${member} altered`,
      first((line) => ({ ...line, [member]: value })),
      wrong,
    )
  yield* change(
    'spans',
    'the origin',
    first((line) => ({ ...line, origin: 'execution' })),
    { log: 'not checked' },
  )
  yield* change('spans', 'a copy', (lines) => [...lines.slice(0, 1), ...lines], wrong)
  yield* change('spans', 'the deletion', (lines) => lines.slice(1), { log: 'fails', completeness: 'not checked' })
  yield* change(
    'resources',
    'the resource altered',
    first((line) => ({ ...line, attributes: [] })),
    wrong,
  )
  yield* change('resources', 'the resource deleted', () => [], wrong)
  yield* change(
    'batches',
    'a leaf altered',
    first((line) => ({ ...line, leaves: ['0'.repeat(64)] })),
    wrong,
  )
  yield* change('batches', 'the leaves deleted', () => [], wrong)
}

/** The list of traces, which follows from the spans. */
function* tracesListed(original: Original): Generator<ArchiveChange> {
  const path = 'data/traces.ndjson'
  const edits: [string, (lines: string[]) => string[]][] = [
    ...(
      [
        ['spans', 1_000],
        ['startedAt', '2026-01-01T00:00:00.000001Z'],
        ['endedAt', '2026-01-01T00:00:00.000001Z'],
        ['executionId', '01900000-0000-7000-8000-000000000001'],
        ['traceId', '0'.repeat(32)],
      ] as const
    ).map(([name, value]): (typeof edits)[number] => [
      `${name} altered to ${value}`,
      ([first = '', ...rest]) => [JSON.stringify({ ...JSON.parse(first), [name]: value }), ...rest],
    ]),
    ['a trace deleted', (lines) => lines.slice(1)],
    ['an end taken away', (lines) => lines.map((line) => JSON.stringify({ ...JSON.parse(line), endedAt: null }))],
    ['a trace twice', (lines) => [...lines.slice(0, 1), ...lines]],
    [
      'a trace without spans added',
      ([first = '', ...rest]) => [first, JSON.stringify({ ...JSON.parse(first), traceId: '1'.repeat(32) }), ...rest],
    ],
  ]
  const lines = String(original.files.get(path)).split('\n').slice(0, -1)
  // Not every archive has traces.
  if (lines.length === 0) return
  for (const [what, edit] of edits) {
    const text = edit(lines)
      .map((line) => `${line}\n`)
      .join('')
    const files = resealed(original.files, { files: (content) => void content.set(path, Buffer.from(text)) })
    yield {
      name: `${path}: ${what}`,
      make: packed(original, files),
      expected: { origin: 'fails', log: 'fails' },
      says: path,
    }
  }
}

/** What belongs to another time or to another tenant. */
export type Elsewhere = {
  /** An earlier archive of the tenant, over the same days. */
  earlier: ArchiveFiles
  /** What the service published then. */
  keysThen: JsonValue
  /** The true archive of another tenant. */
  other: { bytes: Buffer; files: ArchiveFiles }
}

/** The log rolled back, and another tenant's archive or records. */
export function changesFromElsewhere(original: Original, { earlier, keysThen, other }: Elsewhere): ArchiveChange[] {
  const { today } = original
  const paths = [`data/audit/${today}.ndjson`, `data/proofs/${today}.leaves`, `data/proofs/${today}.checkpoint`]
  const withDayOf = (source: ArchiveFiles) => {
    const days: JsonValue = JSON.parse(String(source.get('manifest.json'))).days
    const own = Array.isArray(days) ? days.find((day) => Object(day).date === today) : undefined
    return resealed(original.files, {
      files: (content) => {
        for (const path of paths) content.set(path, source.get(path) ?? Buffer.alloc(0))
      },
      manifest: (one) => ({
        ...one,
        days: [one.days ?? []].flat().map((day) => (Object(day).date === today ? (own ?? null) : day)),
      }),
    })
  }
  const [rolled, mixed] = [withDayOf(earlier), withDayOf(other.files)]
  return [
    {
      name: 'rollback: the day as an earlier archive has it, sealed again',
      make: packed(original, rolled),
      files: rolled,
      expected: { integrity: 'holds', origin: 'fails', log: 'fails' },
      says: 'The rows can’t have been read at record',
    },
    {
      name: 'rollback: the service publishes an older head than the archive has',
      make: () => original.bytes,
      keys: keysThen,
      expected: { integrity: 'holds', origin: 'holds', log: 'holds', freshness: 'fails' },
      says: 'its log went back',
    },
    {
      name: 'another tenant: its whole archive',
      make: () => other.bytes,
      files: other.files,
      expected: { integrity: 'holds', origin: 'fails' },
      says: 'sealed with another key',
    },
    {
      name: 'another tenant: its records of the day, sealed again',
      make: packed(original, mixed),
      files: mixed,
      expected: { integrity: 'holds', origin: 'fails', log: 'fails' },
      says: 'belongs to a different log',
    },
  ]
}

/** Fields of the ZIP that two programs could read differently: of several entries, and of the end. */
function* containers({ bytes }: Original): Generator<ArchiveChange> {
  const patched = (name: string, at: number, size: 1 | 2 | 4): ArchiveChange => ({
    name: `ZIP: ${name}`,
    make: () => {
      const copy = Buffer.from(bytes)
      for (let index = 0; index < size; index++) copy[at + index] = (copy[at + index] ?? 0) ^ 0x55
      return copy
    },
    expected: { integrity: 'fails' },
  })
  for (const [entry, at] of signatures(bytes, 'PK\x03\x04').entries())
    for (const [field, offset, size] of localFields)
      if (entry % 3 === 0) yield patched(`local ${field} of entry ${entry}`, at + offset, size)
  for (const [entry, at] of signatures(bytes, 'PK\x01\x02').entries())
    for (const [field, offset, size] of centralFields)
      if (entry % 3 === 1) yield patched(`directory ${field} of entry ${entry}`, at + offset, size)
  for (let at = bytes.length - 98; at < bytes.length; at += 2) yield patched(`end, byte ${at - bytes.length}`, at, 1)
  yield { name: 'ZIP: bytes after it', make: () => Buffer.concat([bytes, bytes]), expected: { integrity: 'fails' } }
  for (const [what, change] of hiddenAfterStream)
    yield {
      name: `ZIP: ${what} after the stream of an entry`,
      make: () => withPacked(bytes, '/data/report.html', change),
      expected: { integrity: 'fails' },
      says: 'can’t be unpacked',
    }
}

const localFields = [
  ['version', 4, 2],
  ['flags', 6, 2],
  ['method', 8, 2],
  ['time', 10, 4],
  ['CRC', 14, 4],
  ['packed size', 18, 4],
  ['size', 22, 4],
  ['length of extra fields', 28, 2],
  ['name', 50, 1],
] as const
const centralFields = [
  ['maker', 4, 2],
  ['flags', 8, 2],
  ['method', 10, 2],
  ['time', 12, 4],
  ['CRC', 16, 4],
  ['packed size', 20, 4],
  ['length of comment', 32, 2],
  ['disk', 34, 2],
  ['attributes', 38, 4],
  ['position', 42, 4],
] as const

/** Positions of local headers or directory entries; the search starts again behind each. */
function signatures(bytes: Buffer, text: string): number[] {
  const end = text.endsWith('\x04') ? bytes.indexOf('PK\x01\x02evidence', 0) : bytes.length
  const found: number[] = []
  for (let at = bytes.indexOf(text, 0, 'latin1'); at >= 0; at = bytes.indexOf(text, at + 30, 'latin1'))
    if (end < 0 || at < end) found.push(at)
  return found
}
