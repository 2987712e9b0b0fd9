import { isIP } from 'node:net'
import type { CedarValueJson } from '@cedar-policy/cedar-wasm/nodejs'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import type { ArgumentType, RecordType } from './argument-types.ts'

/**
 * Arguments as Cedar values. `misfit` describes, without the value, what does not fit the tool's schema; it becomes part of
 * recorded reasons (`denied`).
 */
export type TypedArguments = { values: Record<string, CedarValueJson>; misfit: string | undefined }

/**
 * The declared arguments, converted to their types. Null counts as absent. Undeclared arguments are left out, because no policy
 * can read them. With a misfit `values` is empty, and rules that read arguments must not be evaluated.
 */
export function typedArguments(type: RecordType, args: JsonObject): TypedArguments {
  try {
    return { values: record(type, args, '$'), misfit: undefined }
  } catch (error) {
    if (!(error instanceof Misfit)) throw error
    return { values: {}, misfit: error.message }
  }
}

class Misfit extends Error {
  override readonly name = 'Misfit'
}

const extension = (fn: string, arg: string): CedarValueJson => ({ __extn: { fn, arg } })

function record(type: RecordType, value: JsonObject, path: string): Record<string, CedarValueJson> {
  const members: [string, CedarValueJson][] = []
  for (const [name, member] of type.members) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined
    if (given !== undefined && given !== null) members.push([name, convert(member.type, given, `${path}.${name}`)])
    else if (member.required) throw new Misfit(`${path}.${name} is missing`)
  }
  // fromEntries defines own properties, so __proto__ is an ordinary name.
  return Object.fromEntries(members)
}

function convert(type: ArgumentType, value: JsonValue, path: string): CedarValueJson {
  const misfit = (expected: string) => new Misfit(`${path} is not ${expected}`)
  switch (type.kind) {
    case 'String':
      if (typeof value !== 'string') throw misfit('a string')
      return value
    case 'Bool':
      if (typeof value !== 'boolean') throw misfit('true or false')
      return value
    case 'Long':
      if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw misfit('a whole number')
      return value
    case 'decimal': {
      const text = decimalText(value)
      if (text === undefined) throw misfit('a number with at most four decimal places')
      return extension('decimal', text)
    }
    case 'datetime': {
      const text = datetimeText(value)
      if (text === undefined) throw misfit('a date')
      return extension('datetime', text)
    }
    case 'ipaddr':
      if (typeof value !== 'string' || isIP(value) === 0) throw misfit('an IP address')
      return extension('ip', value)
    case 'Set':
      if (!Array.isArray(value)) throw misfit('a list')
      return value.map((inner, index) => convert(type.of, inner, `${path}[${index}]`))
    case 'Record':
      if (!isJsonObject(value)) throw misfit('an object')
      return record(type, value, path)
  }
}

/** A Cedar decimal is a 64-bit number of ten-thousandths; values are never rounded to fit. */
function decimalText(value: JsonValue): string | undefined {
  const text = typeof value === 'number' ? String(value) : value
  const match = typeof text === 'string' ? /^(-?)(\d{1,15})(?:\.(\d{1,4}))?$/.exec(text) : null
  if (match === null) return undefined
  const [, sign = '', whole = '', places = '0'] = match
  const units = BigInt(whole) * 10_000n + BigInt(places.padEnd(4, '0'))
  return units > 9_223_372_036_854_775_807n ? undefined : `${sign}${BigInt(whole)}.${places}`
}

/** Converts an RFC 3339 timestamp or a date to the form that Cedar reads. */
function datetimeText(value: JsonValue): string | undefined {
  if (typeof value !== 'string') return undefined
  const day = /^\d{4}-\d\d-\d\d$/.test(value)
  if (!day && !/^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(value)) return undefined
  const at = new Date(day ? `${value}T00:00:00Z` : value.toUpperCase())
  if (Number.isNaN(at.getTime())) return undefined
  const text = at.toISOString()
  // A date that does not exist rolls over into the next month.
  if (day && !text.startsWith(value)) return undefined
  return /^\d{4}-/.test(text) ? text : undefined
}
