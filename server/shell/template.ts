import { placeholder } from '#lib/paths.ts'

/** Text with holes: `parts[0] + values[holes[0]] + parts[1] + …`. */
export type Template = { parts: string[]; holes: string[] }

/** The hole that every page has beside its parameters. */
export const NONCE = 'nonce'
const NONCE_MARK = '\u0000nonce\u0000'

/** One pass over the text, so that a value which looks like another placeholder stays a value. */
export function fill(template: Template, values: ReadonlyMap<string, string>): string {
  let text = template.parts[0] ?? ''
  template.holes.forEach((hole, index) => {
    const value = values.get(hole)
    if (value === undefined) throw new Error(`no value for ${hole}`)
    text += value + (template.parts[index + 1] ?? '')
  })
  return text
}

/** Flight data, with a hole for each occurrence of a parameter's placeholder. */
export function flightTemplate(text: string, parameters: string[]): Template {
  refuseCountedText(text, parameters)
  return cut(text, parameters)
}

/**
 * A prerendered document, `head` put first in its head, with holes for the nonce and the parameters.
 * React escapes `<` in text and attributes, and Next escapes it in inline scripts, so `<script` is always a tag.
 */
export function htmlTemplate(text: string, parameters: string[], head: string): Template {
  const marked = text
    .replace('<head>', () => `<head>${head}`)
    .replaceAll(/<(script|style)(?=[\s>])/g, `<$1 nonce="${NONCE_MARK}"`)
    .replaceAll(/<link (?=[^>]*rel="(?:module)?preload")(?=[^>]*as="script")/g, `<link nonce="${NONCE_MARK}" `)
  return cut(marked, parameters)
}

function cut(text: string, parameters: string[]): Template {
  const holeOf = new Map([[NONCE_MARK, NONCE], ...parameters.map((name) => [placeholder(name), name] as const)])
  const pattern = new RegExp(`(${[...holeOf.keys()].join('|')})`)
  const template: Template = { parts: [], holes: [] }
  text.split(pattern).forEach((piece, index) => {
    const hole = index % 2 === 1 ? holeOf.get(piece) : undefined
    if (hole === undefined) template.parts.push(piece)
    else template.holes.push(hole)
  })
  return template
}

/** A long text in flight data is preceded by its length in bytes: a value of another length would break the rest. */
function refuseCountedText(text: string, parameters: string[]): void {
  for (const match of text.matchAll(/(?:^|\n)[0-9a-f]+:T([0-9a-f]+),/g)) {
    const start = match.index + match[0].length
    const body = Buffer.from(text.slice(start))
      .subarray(0, Number.parseInt(match[1] ?? '0', 16))
      .toString()
    const name = parameters.find((parameter) => body.includes(placeholder(parameter)))
    if (name) throw new Error(`a text of 1,024 characters or more contains the parameter ${name}; pass it by itself`)
  }
}
