import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import type { InputSchema, InputValue } from '#lib/schemas/manifest.ts'

export type InputRule = 'required' | 'type' | 'one_of' | 'min_length' | 'max_length' | 'minimum' | 'maximum' | 'format'

/**
 * Why an input is not what a manifest's `inputSchema` describes. `path`: names from the input's top. `message`: in English, as the API
 * returns it; the console has texts for `rule` with what was `expected`.
 */
export type InputProblem = { path: string[] } & Broken
type Broken = { rule: InputRule; expected: string; message: string }

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
    .map((name) => ({ path: [...path, name], ...missingValue }))
  const wrong = Object.entries(value).flatMap(([name, inner]) => {
    const wanted = Object.hasOwn(known, name) ? known[name] : undefined
    return wanted === undefined ? [] : valueProblems(wanted, inner, [...path, name])
  })
  return [...missing, ...wrong]
}

function valueProblems(wanted: InputValue, value: JsonValue, path: string[]): InputProblem[] {
  const broken = whyNot(wanted, value)
  if (broken !== undefined) return [{ path, ...broken }]
  if (wanted.type === 'object' && isJsonObject(value)) return membersProblems(wanted, value, path)
  if (Array.isArray(value) && wanted.items !== undefined) {
    const { items } = wanted
    return value.flatMap((inner, index) => valueProblems(items, inner, [...path, String(index)]))
  }
  return []
}

const missingValue: Broken = { rule: 'required', expected: '', message: 'Required.' }

const broken = (rule: InputRule, expected: string | number, message: string): Broken => ({
  rule,
  expected: String(expected),
  message,
})

function whyNot(wanted: InputValue, value: JsonValue): Broken | undefined {
  if (wanted.type !== undefined && !isOf[wanted.type](value))
    return broken('type', wanted.type, `Must be ${typeWords[wanted.type]}.`)
  if (wanted.enum !== undefined && !wanted.enum.some((one) => one === value))
    return broken('one_of', wanted.enum.join(', '), `Must be one of ${wanted.enum.join(', ')}.`)
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

function whyNotText({ minLength, maxLength, format }: InputValue, text: string): Broken | undefined {
  if (minLength !== undefined && text.length < minLength)
    return text === '' ? missingValue : broken('min_length', minLength, `Must have at least ${minLength} characters.`)
  if (maxLength !== undefined && text.length > maxLength)
    return broken('max_length', maxLength, `Must have up to ${maxLength} characters.`)
  return format === undefined || formats[format].is(text)
    ? undefined
    : broken('format', format, formats[format].message)
}

function whyNotNumber({ minimum, maximum }: InputValue, value: number): Broken | undefined {
  if (minimum !== undefined && value < minimum) return broken('minimum', minimum, `Must be at least ${minimum}.`)
  return maximum !== undefined && value > maximum
    ? broken('maximum', maximum, `Must be at most ${maximum}.`)
    : undefined
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
