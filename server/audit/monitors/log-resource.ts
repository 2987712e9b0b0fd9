import { type LogName, sealLog } from '#server/audit/sealing/log-name.ts'
import { tileWidth } from '#server/audit/tree/tiles.ts'
import { textFlaw } from '#server/kernel/input.ts'

/** The resources that a monitor may request below `/v1/log/` (https://c2sp.org/tlog-tiles). */
export type LogResource = { externalId: string } & (
  | /** Every key of the tenant and its newest heads: the content of log-keys.json. */ { kind: 'all keys' }
  | ({ log: LogName } & ResourceOfLog)
)

type ResourceOfLog =
  | { kind: 'checkpoint' }
  /** The verifier keys of the log, one a line. */
  | { kind: 'keys' }
  | { kind: 'tile'; level: number; tile: number; width: number }
  | { kind: 'entries'; tile: number; width: number }

const name = /^t\/([^/]+)\/(?:audit\/(\d{4}-\d\d-\d\d)|seals)\/(.+)$/
const place = /^((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/

const allKeys = /^t\/([^/]+)\/keys$/

/**
 * Parses `t/<external id>/keys`, `t/<external id>/audit/<day>/…` and `t/<external id>/seals/…`; undefined for any other path. Only the seal log has
 * entries, because the leaves of a day would disclose more than hashes.
 */
export function parseLogPath(path: string): LogResource | undefined {
  const [, whole] = allKeys.exec(path) ?? []
  if (whole !== undefined)
    return textFlaw(decode(whole)) === undefined ? { externalId: decode(whole), kind: 'all keys' } : undefined
  const [, externalId, date, rest = ''] = name.exec(path) ?? []
  if (externalId === undefined || (date !== undefined && !isDay(date))) return undefined
  const log = { externalId: decode(externalId), log: date ?? sealLog }
  // Encoded twice, it passes what refuses it in an address.
  if (textFlaw(log.externalId) !== undefined) return undefined
  if (rest === 'checkpoint' || rest === 'keys') return { ...log, kind: rest }
  const [, level = '', at = ''] = /^tile\/(entries|0|[1-9]\d?)\/(.+)$/.exec(rest) ?? []
  const found = placeOf(at)
  if (found === undefined || Number(level) > 63) return undefined
  if (level !== 'entries') return { ...log, kind: 'tile', level: Number(level), ...found }
  return date === undefined ? { ...log, kind: 'entries', ...found } : undefined
}

const isDay = (text: string): boolean => {
  const at = Date.parse(text)
  return at >= 0 && new Date(at).toISOString().slice(0, 10) === text
}

/** `x001/x234/067.p/112` is the first 112 of tile 1234067. Undefined for another spelling. */
function placeOf(text: string): { tile: number; width: number } | undefined {
  const [, digits, partial] = place.exec(text) ?? []
  if (digits === undefined) return undefined
  const tile = Number(digits.replaceAll(/[x/]/g, ''))
  const width = partial === undefined ? tileWidth : Number(partial)
  const leading = digits.startsWith('x000')
  return leading || tile > 2 ** 31 - 1 || (partial !== undefined && width >= tileWidth) ? undefined : { tile, width }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return text
    throw error
  }
}
