import { isJsonObject, type JsonValue } from '#lib/json.ts'
import { isMasked, type Masked } from '#lib/rules/masked.ts'
import { fillTemplate, type Scope, TemplateError } from '#lib/rules/template.ts'
import type { Card, CardFact } from '#lib/schemas/approvals.ts'
import type { ApprovalCard } from '#lib/schemas/manifest.ts'

/** In characters, as they are shown. */
const longestValue = 500

/** The facts that a request leaves out, because they don't apply to its call. */
export type LeftOut = 'none' | 'facts of steps' | 'unknown facts'

/**
 * The card of a request: the manifest's `approvalCard` with its references replaced. `scope` is already masked. A reference
 * without a value makes its text null, which reads "unknown", and never refuses the request.
 */
export function fillCard(
  declared: ApprovalCard | undefined,
  scope: Scope,
  leftOut: LeftOut = 'none',
): Card | undefined {
  if (declared === undefined) return undefined
  const { title, facts, links } = declared
  return {
    title: title === undefined ? null : (plainText(title, scope) ?? null),
    facts: facts
      .map(({ label, value }) => ({ label, ...filled(value, scope), from: sourcesOf(value) }))
      .filter((fact) => applies(fact, leftOut)),
    links: links.flatMap(({ label, url }) => {
      const address = filledAddress(url, scope)
      return address === undefined ? [] : [{ label, url: address.href, host: address.host }]
    }),
  }
}

function applies({ value, masked, from }: CardFact, leftOut: LeftOut): boolean {
  switch (leftOut) {
    case 'none':
      return true
    case 'facts of steps':
      return from.every((source) => source === 'input')
    case 'unknown facts':
      return value !== null || masked !== undefined
  }
}

/** Undefined when a reference is masked or does not have a value. */
function plainText(template: string, scope: Scope): string | undefined {
  const { value, masked } = filled(template, scope)
  return masked === undefined ? (value ?? undefined) : undefined
}

/** A text that contains a masked value is masked as a whole. */
function filled(template: string, scope: Scope): Pick<CardFact, 'value' | 'masked'> {
  try {
    const values = referencesIn(template).map((one) => fillTemplate(one, scope))
    const masked = values.map(maskedIn).find((one) => one !== undefined)
    if (masked !== undefined) return { value: null, masked: masked.$masked }
    return { value: shownText(fillTemplate(template, scope)) }
  } catch (error) {
    if (error instanceof TemplateError) return { value: null }
    throw error
  }
}

function maskedIn(value: JsonValue): Masked | undefined {
  if (isMasked(value)) return value
  if (Array.isArray(value)) return value.map(maskedIn).find((one) => one !== undefined)
  if (isJsonObject(value)) return maskedIn(Object.values(value))
  return undefined
}

function shownText(value: JsonValue): string | null {
  if (value === null) return null
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  // The cut may split a surrogate pair.
  return text.length <= longestValue ? text : `${text.slice(0, longestValue - 1).toWellFormed()}…`
}

const referencesIn = (template: string): string[] => template.match(/\$\{[^}]*\}/g) ?? []

/** Where the values of a template come from: `input`, or the id of a step. */
function sourcesOf(template: string): string[] {
  const sources = referencesIn(template).flatMap((reference) => {
    const step = /^\$\{\s*steps\.([A-Za-z][\w-]*)\./.exec(reference)?.[1]
    return step ?? (/^\$\{\s*input\b/.test(reference) ? ['input'] : [])
  })
  return [...new Set(sources)]
}

/** The host is the manifest's, as the schema requires; each value is one encoded part. Undefined if one is missing or masked. */
function filledAddress(template: string, scope: Scope): URL | undefined {
  let whole = true
  const url = template.replaceAll(/\$\{[^}]*\}/g, (reference) => {
    const text = plainText(reference, scope)
    whole &&= text !== undefined && text !== ''
    return encodeURIComponent((text ?? '').toWellFormed())
  })
  // An encoded value may still be a step up, which would lead to another page of the host.
  const [path = ''] = url.split(/[?#]/)
  whole &&= path.split('/').every((segment) => !/^(\.|%2e){1,2}$/i.test(segment))
  return whole && URL.canParse(url) ? new URL(url) : undefined
}
