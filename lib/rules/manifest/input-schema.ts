import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import type { InputSchema, InputValue } from '#lib/schemas/manifest.ts'

/** Why an input is not what a manifest's `inputSchema` describes. `path`: names from the input's top. */
export type InputProblem = { path: string[]; message: string }

/** Every value that does not match, and every required one that is missing. */
export function inputProblems(schema: InputSchema, input: JsonObject): InputProblem[] {
  return membersProblems(schema, input, [])
}

function membersProblems(
  { properties, required = [] }: Pick<InputValue, 'properties' | 'required'>,
  value: JsonObject,
  path: readonly string[],
): InputProblem[] {
  const known = properties ?? {}
  const missing = required
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => ({ path: [...path, name], message: 'Required.' }))
  const wrong = Object.entries(value).flatMap(([name, inner]) => {
    const wanted = Object.hasOwn(known, name) ? known[name] : undefined
    return wanted === undefined ? [] : valueProblems(wanted, inner, [...path, name])
  })
  return [...missing, ...wrong]
}

function valueProblems(wanted: InputValue, value: JsonValue, path: string[]): InputProblem[] {
  const message = whyNot(wanted, value)
  if (message !== undefined) return [{ path, message }]
  if (wanted.type === 'object' && isJsonObject(value)) return membersProblems(wanted, value, path)
  if (Array.isArray(value) && wanted.items !== undefined) {
    const { items } = wanted
    return value.flatMap((inner, index) => valueProblems(items, inner, [...path, String(index)]))
  }
  return []
}

function whyNot(wanted: InputValue, value: JsonValue): string | undefined {
  if (wanted.type !== undefined && !isOf[wanted.type](value)) return `Must be ${typeWords[wanted.type]}.`
  if (wanted.enum !== undefined && !wanted.enum.some((one) => one === value))
    return `Must be one of ${wanted.enum.join(', ')}.`
  if (typeof value === 'string') return whyNotText(wanted, value)
  return typeof value === 'number' ? whyNotNumber(wanted, value) : undefined
}

const isOf: Record<NonNullable<InputValue['type']>, (value: JsonValue) => boolean> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  array: Array.isArray,
  object: isJsonObject,
}

const typeWords: Record<NonNullable<InputValue['type']>, string> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

function whyNotText({ minLength, maxLength, format }: InputValue, text: string): string | undefined {
  if (minLength !== undefined && text.length < minLength)
    return text === '' ? 'Required.' : `Must have at least ${minLength} characters.`
  if (maxLength !== undefined && text.length > maxLength) return `Must have up to ${maxLength} characters.`
  return format === undefined || formats[format].is(text) ? undefined : formats[format].message
}

function whyNotNumber({ minimum, maximum }: InputValue, value: number): string | undefined {
  if (minimum !== undefined && value < minimum) return `Must be at least ${minimum}.`
  return maximum !== undefined && value > maximum ? `Must be at most ${maximum}.` : undefined
}

const isTime = (text: string) => !Number.isNaN(Date.parse(text))

const formats: Record<NonNullable<InputValue['format']>, { is: (text: string) => boolean; message: string }> = {
  date: { is: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && isTime(text), message: 'Must be a date such as 2026-11-23.' },
  'date-time': {
    is: (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text) && isTime(text),
    message: 'Must be a time with its zone, such as 2026-11-23T09:00:00Z.',
  },
  email: { is: (text) => /^[^\s@]{1,64}@[^\s@]{1,255}$/.test(text), message: 'Must be an e-mail address.' },
  uri: { is: (text) => URL.canParse(text), message: 'Must be an address such as https://example.com.' },
  decimal: { is: (text) => /^-?\d{1,15}(\.\d{1,6})?$/.test(text), message: 'Must be a number such as 59.90.' },
}
