import type { Archive } from './archive.ts'
import {
  Broken,
  type Bytes,
  fromHex,
  hex,
  type Json,
  member,
  parseLine,
  sameBytes,
  sha256OfText,
  textMember,
} from './bytes.ts'
import { all, counted } from './counted.ts'
import type { SeenRecord } from './log.ts'
import { growingTree, leafHash } from './note.ts'
import { numbersIn, type Objects, objectTable, type Room, twoNumbers } from './objects.ts'
import { NotChecked } from './report.ts'

// Spans of telemetry against the log: the record of the request that brought them has the root of a tree, whose leaves are
// the hashes of its spans. Spans of executions are rows (rows.ts).

const spanFile = /^data\/traces\/([^./]+)\.spans\.ndjson$/
/** The part of a leaf hash that is kept: archives may have millions of spans, and a second span for 128 bits can’t be found. */
const leafBytes = 16
const requestType = 'telemetry_batch'
const resourceType = 'resource'

/**
 * Collects the roots in the records, and then compares the spans with them. `each` receives each span in the files of spans, and
 * `eachResource` each resource.
 */
export function telemetrySpans(room: Room, each: (span: Json) => void, eachResource: (resource: Json) => void) {
  // Of each request: its root, and as revision the number of its spans that the archive has, plus one.
  const batches = objectTable(room)
  let [expected, found] = [0, 0]
  let read = false
  const any = (archive: Archive) => [...archive.paths()].some((path) => spanFile.test(path))
  return {
    /** `check` came to the end of the spans, or there are none. */
    isRead: (archive: Archive) => read || !any(archive),
    /** `inLog`: the record is in the archive's log. */
    add({ record, auditId }: SeenRecord, inLog = true) {
      if (member(record, 'action') !== 'telemetry.received') return
      const details = member(record, 'details')
      const [root, spans] = [member(details, 'root'), member(details, 'spans')]
      if (typeof root !== 'string' || !/^sha256:[0-9a-f]{64}$/.test(root) || typeof spans !== 'number')
        throw new Broken(`The record ${auditId} of a telemetry request is malformed.`)
      if (batches.get(requestType, auditId) !== undefined) return
      if (inLog) expected += spans
      batches.set(requestType, auditId, {
        revision: 1,
        form: 1,
        digest: fromHex(root.slice(7)),
        owed: inLog,
        seen: false,
      })
    },
    any,
    /** The archive's log says that spans of telemetry arrived. */
    recorded: () => expected > 0,
    async check(archive: Archive): Promise<string> {
      let [checked, erased, unbound] = [0, 0, 0]
      for (const path of archive.paths()) {
        const date = spanFile.exec(path)?.[1]
        if (date === undefined) continue
        const leaves = await leavesOf(archive, `data/traces/${date}.batches.ndjson`, batches, room)
        const resources = await resourcesOf(archive, `data/traces/${date}.resources.ndjson`, room, eachResource)
        for await (const line of archive.linesIn(path)) {
          const span = parseLine(line, `A line of ${path}`)
          each(span)
          if (member(span, 'origin') === 'execution') {
            unbound += 1
            continue
          }
          const name = `Span ${textMember(span, 'spanId', path)} of trace ${textMember(span, 'traceId', path)}`
          const auditId = textMember(span, 'auditId', name)
          const place = leaves.take(auditId, member(span, 'batchIndex'))
          if (place === undefined) throw new Broken(`${name} is not in the request that it names, or is there twice.`)
          const known = batches.get(requestType, auditId)
          if (known?.owed === true) found += 1
          const leaf = spanLeafOf(span, resources, name)
          if (leaf === undefined) erased += 1
          else if (!sameBytes(leaf.subarray(0, leafBytes), place))
            throw new Broken(`${name} is not what the log commits to.`)
          else checked += 1
        }
        for (const table of [leaves, resources]) table.release()
      }
      read = true
      if (erased + unbound > 0)
        throw new NotChecked(
          [
            `${counted(checked, 'span of telemetry is as the log commits to it', 'spans of telemetry are as the log commits to them')}.`,
            `Only the seal covers ${counted(unbound, 'span', 'spans')} of executions, which are older than their binding to the log, and ${counted(erased, 'span', 'spans')} of which a text was erased.`,
          ].join(' '),
        )
      return `${all(checked, 'span of telemetry is as the log commits to it', 'spans of telemetry are as the log commits to them')}.`
    },
    /** Call it after `check`. */
    checkMissing(): string {
      if (found < expected)
        throw new NotChecked(
          `${expected - found} of ${counted(expected, 'span', 'spans')} of telemetry that arrived in the period ${expected - found === 1 ? 'is not here: it began outside it, its retention has ended, or it was' : 'are not here: they began outside it, their retention has ended, or they were'} deleted.`,
        )
      return `${all(expected, 'span of telemetry that arrived in the period is', 'spans of telemetry that arrived in the period are')} here.`
    },
  }
}

const lotSize = 65_536
const lotBytes = lotSize * (leafBytes + 1)

/** The leaves of a day's requests, each of which gives the root that its record has. */
async function leavesOf(archive: Archive, path: string, batches: Objects, room: Room) {
  // Of each request: as digest, the number of its first leaf and how many it has.
  const places = objectTable(room)
  const lots: { leaves: Bytes; taken: Uint8Array }[] = []
  let count = 0
  for await (const line of archive.has(path) ? archive.linesIn(path) : []) {
    const row = parseLine(line, `A line of ${path}`)
    const auditId = textMember(row, 'auditId', `A line of ${path}`)
    const hashes = member(row, 'leaves')
    if (!Array.isArray(hashes) || places.get(requestType, auditId) !== undefined)
      throw new Broken(`${path} is malformed.`)
    const record = batches.get(requestType, auditId)
    if (record?.digest === undefined) throw new Broken(`No record in the archive has the root of request ${auditId}.`)
    places.set(requestType, auditId, {
      ...{ revision: 1, form: 1, owed: false, seen: false },
      digest: twoNumbers(count, hashes.length),
    })
    const tree = growingTree()
    for (const text of hashes) {
      const hash = fromHex(String(text))
      if (hash.length !== 32) throw new Broken(`${path} is malformed.`)
      tree.add(hash)
      if (count === lots.length * lotSize) {
        room.take(lotBytes)
        lots.push({ leaves: new Uint8Array(lotSize * leafBytes), taken: new Uint8Array(lotSize) })
      }
      lots.at(-1)?.leaves.set(hash.subarray(0, leafBytes), (count % lotSize) * leafBytes)
      count += 1
    }
    if (!sameBytes(tree.root(), record.digest))
      throw new Broken(`The leaves of request ${auditId} do not give the root that its record has.`)
  }
  return {
    /** The leaf at a place, once. */
    take(auditId: string, index: Json | undefined): Bytes | undefined {
      const place = places.get(requestType, auditId)?.digest
      if (place === undefined || typeof index !== 'number') return undefined
      const [from, size] = numbersIn(place)
      if (!Number.isInteger(index) || !(index >= 0 && index < size)) return undefined
      const [lot, at] = [lots[Math.floor((from + index) / lotSize)], (from + index) % lotSize]
      if (lot === undefined || lot.taken[at] === 1) return undefined
      lot.taken[at] = 1
      return lot.leaves.slice(at * leafBytes, (at + 1) * leafBytes)
    },
    release(): void {
      places.release()
      room.give(lots.length * lotBytes)
      lots.length = 0
    },
  }
}

/** The hash of each resource in the leaves of its spans; `undefined` as digest for one of which a text was erased. */
async function resourcesOf(
  archive: Archive,
  path: string,
  room: Room,
  each: (resource: Json) => void,
): Promise<Objects> {
  const hashes = objectTable(room)
  for await (const line of archive.has(path) ? archive.linesIn(path) : []) {
    const row = parseLine(line, `A line of ${path}`)
    each(row)
    const attributes = provable(member(row, 'attributes'))
    hashes.set(resourceType, `${textMember(row, 'auditId', path)}/${String(member(row, 'resourceIndex'))}`, {
      ...{ revision: 1, form: 1, owed: false, seen: false },
      digest: attributes && sha256OfText(JSON.stringify(['agcp.resource.v1', attributes])),
    })
  }
  return hashes
}

/** The leaf hash of a span (README.txt); undefined if a text without a commitment was erased. */
function spanLeafOf(span: Json, resources: Objects, name: string): Bytes | undefined {
  const attributes = provable(member(span, 'attributes'))
  const events = listOf(member(span, 'events')).map((event) => [event, provable(member(event, 'attributes'))] as const)
  const links = listOf(member(span, 'links')).map((link) => [link, provable(member(link, 'attributes'))] as const)
  const index = member(span, 'resourceIndex') ?? null
  const key = `${textMember(span, 'auditId', name)}/${String(index)}`
  const found = index === null ? undefined : resources.get(resourceType, key)
  if (index !== null && found === undefined) throw new Broken(`The resource of ${name} is missing.`)
  const resource = found === undefined ? null : found.digest && hex(found.digest)
  if ([attributes, resource, ...[...events, ...links].map(([, inner]) => inner)].includes(undefined)) return undefined
  const facts = Object.entries(member(span, 'facts') ?? {}).sort(([one], [other]) => (one < other ? -1 : 1))
  const isFirst = links.length === 0 && resource === null
  const of = (value: Json, member_: string) => member(value, member_) ?? null
  return leafHash(
    JSON.stringify([
      isFirst ? 'agcp.span.v1' : 'agcp.span.v2',
      ...['traceId', 'spanId', 'parentSpanId', 'name', 'kind', 'status'].map((one) => of(span, one)),
      microsOf(textMember(span, 'startedAt', name), name),
      microsOf(textMember(span, 'endedAt', name), name),
      attributes,
      events.map(([event, inner]) => [of(event, 'name'), of(event, 'at'), inner]),
      facts,
      ...(isFirst ? [] : [links.map(([link, inner]) => [of(link, 'traceId'), of(link, 'spanId'), inner]), resource]),
    ]),
  )
}

const listOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])

/** Attributes as a leaf has them; undefined if one without a commitment was erased. */
function provable(attributes: Json | undefined): Json[] | undefined {
  const all = listOf(attributes).map((one): Json | undefined => {
    const [key, value, sd] = ['key', 'value', 'sd'].map((name) => member(one, name))
    if (sd !== undefined) return [key ?? null, { sd }]
    return value === undefined && member(one, 'erased') === true ? undefined : [key ?? null, value ?? null]
  })
  return all.flatMap((one) => (one === undefined ? [] : [one])).length === all.length ? (all as Json[]) : undefined
}

/** Microseconds since 1970 of a time with six digits after the second. */
export function microsOf(time: string, name: string): number {
  const [, whole, digits] = /^(\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{6})Z$/.exec(time) ?? []
  if (whole === undefined || digits === undefined) throw new Broken(`A time of ${name} is malformed.`)
  return Date.parse(`${whole}Z`) * 1000 + Number(digits)
}
