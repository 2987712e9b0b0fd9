import { CONFIG, NONCE } from '#lib/console-build.ts'
import { headElements } from '#lib/page-head.ts'
import { placeholder } from '#lib/paths.ts'
import { checkFlight, inlineFlight } from './flight.ts'
import { check } from './format-error.ts'
import { MARK, MARK_START } from './texts/put-texts.ts'

/** Text with holes, before it has a place in the file of bytes. */
export type Template = { parts: string[]; holes: string[] }

const NONCE_MARK = '\u0000nonce\u0000'
const CONFIG_MARK = '\u0000config\u0000'
const HEAD = headElements(CONFIG_MARK)

/** Puts the texts of a language, and the names of its scripts, into a document or into flight data. */
export type Translate = (name: string, text: string) => string

/** Flight data, with a hole for each occurrence of a parameter's placeholder. */
export function flightTemplate(
  name: string,
  text: string,
  parameters: readonly string[],
  translate: Translate,
): Template {
  checkFlight(name, text, [...parameters.map(placeholder), MARK_START])
  return cut(translate(name, text), parameters)
}

/**
 * A prerendered document with our elements first in its head, and holes for the nonce, the configuration and the parameters.
 * React escapes `<` in text and attributes, and Next escapes it in inline scripts, so `<script` is always a tag.
 */
export function documentTemplate(
  name: string,
  html: string,
  parameters: readonly string[],
  translate: Translate,
): Template {
  check(html.startsWith('<!DOCTYPE html>'), `${name} does not begin with <!DOCTYPE html>`)
  check(html.split('<head>').length === 2, `${name} does not have exactly one <head>`)
  check(!/<[a-z][^>]*\s(?:nonce|on[a-z]+)=/i.test(html), `${name} has a nonce or an event handler in a tag`)
  checkInlineFlight(name, html, parameters)
  const marked = translate(name, html)
    .replace('<head>', () => `<head>${HEAD}`)
    .replaceAll(/<(script|style)(?=[\s>])/g, `<$1 nonce="${NONCE_MARK}"`)
    .replaceAll(/<link (?=[^>]*rel="(?:module)?preload")(?=[^>]*as="script")/g, `<link nonce="${NONCE_MARK}" `)
  return cut(marked, parameters)
}

function checkInlineFlight(name: string, html: string, parameters: readonly string[]): void {
  const pieces = inlineFlight(name, html)
  const stream = pieces.join('')
  checkFlight(`The flight data in ${name}`, stream, [...parameters.map(placeholder), MARK_START])
  for (const [what, mark] of [
    ...parameters.map((name) => [`parameter ${placeholder(name)}`, placeholder(name)] as const),
    ['mark of a text', MARK] as const,
  ]) {
    const count = (text: string) => text.split(mark).length - 1
    const whole = pieces.reduce((sum, piece) => sum + count(piece), 0)
    check(whole === count(stream), `${name} has the ${what} across two inline scripts`)
  }
}

function cut(text: string, parameters: readonly string[]): Template {
  const holeOf = new Map([
    [NONCE_MARK, NONCE],
    [CONFIG_MARK, CONFIG],
    ...parameters.map((name): [string, string] => [placeholder(name), name]),
  ])
  const template: Template = { parts: [], holes: [] }
  text.split(new RegExp(`(${[...holeOf.keys()].join('|')})`)).forEach((piece, index) => {
    const hole = index % 2 === 1 ? holeOf.get(piece) : undefined
    if (hole === undefined) template.parts.push(piece)
    else template.holes.push(hole)
  })
  return template
}
