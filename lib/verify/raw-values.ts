import type { Archive } from './archive.ts'
import { Broken, canonical, type Json, member, parseLine, sha256OfText, textMember, toBase64Url } from './bytes.ts'
import { all, counted } from './counted.ts'
import { noDigest, objectTable, type Room } from './objects.ts'
import { NotChecked } from './report.ts'

// The unmasked values of spans and resources, which an archive with raw payloads has in files of their own, against the commitments in the
// attributes of their spans and resources. Those are compared with the log by spans.ts and rows.ts.

const rawValueFile = /^data\/raw\/([^./]+)\.values\.ndjson$/
const rawValueType = 'value'
/** A span of an execution that is older than its binding to the log. */
const unprovedSpanType = 'unproved'
const knownCommitment = { revision: 1, form: 1, owed: false, seen: false, digest: noDigest }

const partsOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])
const commitmentName = (subject: string, key: Json | undefined, commitment: string): string =>
  canonical([subject, key ?? null, commitment])

/** Collects the commitments of spans and resources, and then compares the values with them. */
export function rawValues(archive: Archive, room: Room) {
  const paths = [...archive.paths()].filter((path) => rawValueFile.test(path))
  const commitments = objectTable(room)
  const add = (subject: string, attributes: Json | undefined) => {
    for (const one of partsOf(attributes)) {
      const sd = member(one, 'sd')
      if (typeof sd === 'string')
        commitments.set(rawValueType, commitmentName(subject, member(one, 'key'), sd), knownCommitment)
    }
  }
  return {
    any: (): boolean => paths.length > 0,
    addSpan(span: Json): void {
      if (paths.length === 0) return
      const subject = `span ${String(member(span, 'traceId'))}/${String(member(span, 'spanId'))}`
      // In a row that is bound, the origin is a column of its state.
      if (member(span, 'origin') === 'execution' && member(span, 'day') === undefined)
        commitments.set(unprovedSpanType, subject, knownCommitment)
      add(subject, member(span, 'attributes'))
      for (const part of [...partsOf(member(span, 'events')), ...partsOf(member(span, 'links'))])
        add(subject, member(part, 'attributes'))
    },
    addResource(resource: Json): void {
      if (paths.length > 0) add(resourceSubject(resource), member(resource, 'attributes'))
    },
    /** Call it when all spans and resources were added. */
    async check(): Promise<string> {
      let [count, unproved] = [0, 0]
      for (const path of paths)
        for await (const line of archive.linesIn(path)) {
          const row = parseLine(line, `A line of ${path}`)
          const isSpan = member(row, 'spanId') !== undefined
          const subject = isSpan
            ? `span ${textMember(row, 'traceId', path)}/${textMember(row, 'spanId', path)}`
            : resourceSubject(row)
          const key = textMember(row, 'key', path)
          const opened = toBase64Url(
            sha256OfText(canonical([member(row, 'salt') ?? null, member(row, 'value') ?? null])),
          )
          if (commitments.get(unprovedSpanType, subject) !== undefined) {
            unproved += 1
            continue
          }
          if (commitments.get(rawValueType, commitmentName(subject, key, opened)) === undefined)
            throw new Broken(`A value of ${subject} in ${path} is not the one that the archive commits to: ${key}.`)
          if (member(row, 'commitment') !== opened)
            throw new Broken(`${path} has a value of ${subject} under the commitment of another: ${key}.`)
          count += 1
        }
      if (unproved > 0)
        throw new NotChecked(
          `${counted(count, 'unmasked value is the one that its span or resource commits', 'unmasked values are the ones that their spans and resources commit')} to. Only the seal covers ${unproved} of spans of executions, which are older than their binding to the log.`,
        )
      return `${all(count, 'unmasked value is the one that its span or resource commits', 'unmasked values are the ones that their spans and resources commit')} to.`
    },
  }
}

const resourceSubject = (row: Json): string =>
  `resource ${String(member(row, 'auditId'))}/${String(member(row, 'resourceIndex'))}`
