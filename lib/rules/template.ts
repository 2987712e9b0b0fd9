import { isJsonObject, type JsonValue } from '#lib/json.ts'

/** The references in a step's strings: `${input.x}` and `${steps.<id>.output.x}`. Nothing else is evaluated. */
export type Scope = { input: JsonValue; steps: Readonly<Record<string, { output: JsonValue }>> }

/** An unresolved reference, or a condition that is not a comparison. The message quotes the text, never a value. */
export class TemplateError extends Error {}

const reference = /\$\{([^}]*)\}/g
const path = /^(?:input|steps\.[A-Za-z][\w-]*\.output)(?:\.[A-Za-z_][\w-]*|\[\d+\])*$/

function lookUp(expression: string, scope: Scope): JsonValue {
  const text = expression.trim()
  if (!path.test(text)) throw new TemplateError(`\${${text}} must be input.… or steps.<id>.output.…`)
  const [root, ...keys] = text.split(/\.|\[|\]/).filter((part) => part !== '')
  let at: JsonValue | undefined
  if (root === 'input') at = scope.input
  else {
    const [id = '', , ...rest] = keys
    at = Object.hasOwn(scope.steps, id) ? scope.steps[id]?.output : undefined
    keys.splice(0, keys.length, ...rest)
  }
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

/** One comparison of a reference with a literal: `${steps.order.output.amount} > 5000`. Decimal strings compare as numbers. */
export function holds(condition: string, scope: Scope): boolean {
  const match = comparison.exec(condition)
  if (match === null) throw new TemplateError(`"${condition}" must be one comparison of a reference with a literal.`)
  const [, expression = '', operator = '', literal = ''] = match
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

const asNumber = (value: JsonValue): number | undefined => {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : undefined
}

function parseLiteral(text: string): JsonValue {
  const quoted = /^"([^"]*)"$|^'([^']*)'$/.exec(text)
  if (quoted !== null) return quoted[1] ?? quoted[2] ?? ''
  if (text === 'true' || text === 'false') return text === 'true'
  if (text === 'null') return null
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  throw new TemplateError(`${text} is not a literal. Write a number, "text", true, false or null.`)
}
