import { isJsonObject, type JsonValue } from '#lib/json.ts'

/** The references in a step's strings: `${input.x}` and `${steps.<id>.output.x}`. Nothing else is evaluated. */
export type Scope = { input: JsonValue; steps: Readonly<Record<string, { output: JsonValue }>> }

/** An unresolved reference, or a condition that is not a comparison. The message quotes the text, never a value. */
export class TemplateError extends Error {}

const reference = /\$\{([^}]*)\}/g
const path = /^(?:input|steps\.[A-Za-z][\w-]*\.output)(?:\.[A-Za-z_][\w-]*|\[\d+\])*$/

/** What an expression refers to: the input, or the output of `step`, and the members below it. Throws TemplateError. */
export function parseReference(expression: string): { step: string | undefined; keys: string[] } {
  const text = expression.trim()
  if (!path.test(text)) throw new TemplateError(`\${${text}} must be input.… or steps.<id>.output.…`)
  const [root, ...keys] = text.split(/\.|\[|\]/).filter((part) => part !== '')
  if (root === 'input') return { step: undefined, keys }
  const [step = '', , ...rest] = keys
  return { step, keys: rest }
}

/** The expressions of the references in a text. */
export const expressionsIn = (text: string): string[] => [...text.matchAll(reference)].map((match) => match[1] ?? '')

function lookUp(expression: string, scope: Scope): JsonValue {
  const text = expression.trim()
  const { step, keys } = parseReference(text)
  let at: JsonValue | undefined
  if (step === undefined) at = scope.input
  else at = Object.hasOwn(scope.steps, step) ? scope.steps[step]?.output : undefined
  for (const key of keys) {
    if (Array.isArray(at)) at = at[Number(key)]
    else at = isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined
  }
  if (at === undefined) throw new TemplateError(`\${${text}} does not have a value.`)
  return at
}

/** `value` with its references replaced. A string that is one reference becomes the value itself, with its type. */
export function fillTemplate(value: JsonValue, scope: Scope): JsonValue {
  if (typeof value === 'string') {
    const whole = /^\$\{([^}]*)\}$/.exec(value)
    if (whole?.[1] !== undefined) return lookUp(whole[1], scope)
    return value.replace(reference, (_match, expression: string) => {
      const found = lookUp(expression, scope)
      return typeof found === 'string' ? found : JSON.stringify(found)
    })
  }
  if (Array.isArray(value)) return value.map((inner) => fillTemplate(inner, scope))
  if (isJsonObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]): [string, JsonValue] => [key, fillTemplate(inner, scope)]),
    )
  return value
}

const comparison = /^\s*\$\{([^}]*)\}\s*(==|!=|>=|<=|>|<)\s*(.+?)\s*$/

/** The parts of a condition: `${steps.order.output.amount} > 5000`. Throws TemplateError for anything else. */
export function parseCondition(condition: string): { expression: string; operator: string; literal: string } {
  const match = comparison.exec(condition)
  if (match === null) throw new TemplateError(`"${condition}" must be one comparison of a reference with a literal.`)
  const [, expression = '', operator = '', literal = ''] = match
  return { expression, operator, literal }
}

/** The value of one comparison of a reference with a literal. Decimal strings compare as numbers. */
export function holds(condition: string, scope: Scope): boolean {
  const { expression, operator, literal } = parseCondition(condition)
  const left = lookUp(expression, scope)
  const right = parseLiteral(literal)
  const [a, b] = [asNumber(left), asNumber(right)]
  if (operator === '==' || operator === '!=') {
    const equal = a !== undefined && b !== undefined ? a === b : left === right
    return equal === (operator === '==')
  }
  if (a === undefined || b === undefined)
    throw new TemplateError(`"${condition}" compares a value that is not a number.`)
  if (operator === '>') return a > b
  if (operator === '<') return a < b
  return operator === '>=' ? a >= b : a <= b
}

export const asNumber = (value: JsonValue): number | undefined => {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : undefined
}

export function parseLiteral(text: string): string | number | boolean | null {
  const quoted = /^"([^"]*)"$|^'([^']*)'$/.exec(text)
  if (quoted !== null) return quoted[1] ?? quoted[2] ?? ''
  if (text === 'true' || text === 'false') return text === 'true'
  if (text === 'null') return null
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  throw new TemplateError(`${text} is not a literal. Write a number, "text", true, false or null.`)
}
