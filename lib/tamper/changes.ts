import { type Archive, archiveOf } from '#lib/verify/archive.ts'
import { type Bytes, encode, lines, member, parseJson } from '#lib/verify/bytes.ts'
import { openZip } from '#lib/verify/container/zip.ts'

// What a person may change in a copy of an archive, to see which verdict notices it.

export const changeKinds = ['reason', 'amount', 'record', 'signature'] as const
export type ChangeKind = (typeof changeKinds)[number]

/** One change, prepared: the file, its new content, and both texts for the page. */
export type Change = {
  kind: ChangeKind
  path: string
  content: Bytes
  before: string
  /** Undefined for what is deleted. */
  after: string | undefined
}

/** What was requested or paid, or what a policy compares it with: masked archives have only the latter. */
const amount = /(?:"[a-z]*amount[a-z]*":"?|decimal\(\\")(\d+(?:\.\d+)?)/i

/** The changes that this archive allows. Broken for a file that is not an archive. */
export async function changesIn(file: Blob): Promise<Change[]> {
  const { entries } = await openZip(file)
  const archive = archiveOf(file, entries, undefined)
  const found = await Promise.all([
    inText(archive, 'reason', /"reason":"((?:[^"\\]|\\.){4,})"/, (reason) =>
      reason.replace(/[a-z](?=[^a-z]*$)/i, next),
    ),
    inText(archive, 'amount', amount, (digits) => digits.replace(/\d/, nextDigit)),
    withoutRecord(archive),
    otherSignature(archive),
  ])
  return found.filter((change) => change !== undefined)
}

/** The log, the newest day first, then the rows of decisions, executions and policies. */
function recordsOf(archive: Archive): string[] {
  const logs = [...archive.paths()].filter((path) => /^data\/audit\/\d{4}-\d\d-\d\d\.ndjson$/.test(path))
  const rows = ['approval-votes', 'approvals', 'executions', 'decisions', 'input-events', 'policies']
  return [...logs.sort().reverse(), ...rows.map((name) => `data/${name}.ndjson`).filter(archive.has)]
}

/** The demo's archives are small. */
const inMemory = 64 * 1024 * 1024

/** A record of a person's decision. */
const decision = /"action":"approval\.(?:approve|reject)"/

/** The newest line with such a text, of a decision if there is one. */
async function inText(
  archive: Archive,
  kind: ChangeKind,
  pattern: RegExp,
  change: (text: string) => string,
): Promise<Change | undefined> {
  for (const decided of [true, false])
    for (const path of recordsOf(archive)) {
      const records = (await archive.text(path, inMemory)).split('\n')
      for (const [index, line] of [...records.entries()].reverse()) {
        const match = pattern.exec(line)
        const [whole = '', before = ''] = match ?? []
        const after = change(before)
        if (match === null || after === before || (decided && !decision.test(line))) continue
        const at = match.index + whole.lastIndexOf(before)
        const changed = line.slice(0, at) + after + line.slice(at + before.length)
        return { kind, path, content: encode(records.with(index, changed).join('\n')), before, after }
      }
    }
  return undefined
}

/** Without the newest decision in the log, or its newest record. */
async function withoutRecord(archive: Archive): Promise<Change | undefined> {
  for (const path of recordsOf(archive).filter((one) => one.startsWith('data/audit/'))) {
    const records = lines(await archive.text(path, inMemory))
    const actions = records.map((line) => String(member(member(parseJson(line, path), 'record'), 'action')))
    const decided = actions.findLastIndex((action) => /^approval\.(?:approve|reject)$/.test(action))
    const chosen = decided === -1 ? records.length - 1 : decided
    const before = actions[chosen]
    if (before === undefined) continue
    const content = encode(
      records
        .toSpliced(chosen, 1)
        .map((line) => `${line}\n`)
        .join(''),
    )
    return { kind: 'record', path, content, before, after: undefined }
  }
  return undefined
}

async function otherSignature(archive: Archive): Promise<Change> {
  const path = 'seal/manifest.json.sig'
  const content = await archive.bytes(path)
  const first = (byte: number | undefined) => (byte ?? 0).toString(16).padStart(2, '0')
  const before = first(content[0])
  content[0] = (content[0] ?? 0) ^ 1
  return { kind: 'signature', path, content, before, after: first(content[0]) }
}

const next = (letter: string): string =>
  letter.toLowerCase() === 'z' ? 'a' : String.fromCharCode(letter.charCodeAt(0) + 1)
const nextDigit = (digit: string): string => String((Number(digit) % 9) + 1)
