import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { deriveAccent, parseAccent, type Theme } from '#lib/rules/accent.ts'
import type { Reader } from '#server/identity/words/reader.ts'
import { fontFace } from './font.ts'
import { Html, html } from './html.ts'

export type Page = {
  title: string
  body: Html
  /** An inline script, allowed by its hash. */
  script?: string
  /** Other origins that the response to a form may redirect to: Chromium checks redirects after a POST, too. */
  formOrigins?: string[]
}

export type RenderedPage = { text: string; headers: Record<string, string> }

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
const baseStyle = `${read('../../../app/tokens.css')}\n${read('./page.css')}`

/** Headers of every response of a realm. */
export const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
} as const

/** A whole page in the tenant's branding, and the headers that it must be sent with. */
export function renderPage(reader: Reader, { title, body, script, formOrigins = [] }: Page): RenderedPage {
  const { realm, language } = reader
  const style = `${accentStyle(realm.accentColor)}${fontFace(realm.url)}${baseStyle}`
  const page = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · ${realm.displayName}</title>
<style>${new Html(style)}</style>
</head>
<body>
<main>
<p class="organisation">${mark(realm)} ${realm.displayName}</p>
<h1>${title}</h1>
${body}
${coBrand(reader)}</main>
${script !== undefined && html`<script>${new Html(script)}</script>`}
</body>
</html>
`
  const imageOrigins = realm.logoUrl === undefined ? [] : [new URL(realm.logoUrl).origin]
  const policy = contentSecurityPolicy({ style, script, formOrigins, imageOrigins })
  return {
    text: page.text,
    headers: {
      ...securityHeaders,
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': policy,
    },
  }
}

/** `script-src` is present even when it allows nothing: oidc-provider adds the hash of its own script to it. */
export function contentSecurityPolicy(allowed: {
  style?: string | undefined
  script?: string | undefined
  formOrigins: string[]
  imageOrigins?: string[]
}): string {
  return [
    "default-src 'none'",
    `style-src${hash(allowed.style)}`,
    `script-src${hash(allowed.script)}`,
    "font-src 'self'",
    ['img-src', "'self'", ...(allowed.imageOrigins ?? [])].join(' '),
    ['form-action', "'self'", ...new Set(allowed.formOrigins)].join(' '),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

const hash = (text: string | undefined): string =>
  text === undefined ? '' : ` 'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** The tenant's tones for app/tokens.css. Entered text reaches the style sheet only after parsing. */
function accentStyle(entered: string | undefined): string {
  const accent = entered === undefined ? undefined : parseAccent(entered)
  if (accent === undefined) return ''
  const tones = (theme: Theme) => {
    const { mark, text, onMark } = deriveAccent(accent, theme)
    return `--tenant-mark-${theme}:${mark};--tenant-text-${theme}:${text};--tenant-on-mark-${theme}:${onMark};`
  }
  return `:root{${tones('light')}${tones('dark')}}\n`
}

/** The logo, or the initial on the accent colour. The name follows it. */
const mark = ({ logoUrl, displayName }: Reader['realm']): Html =>
  logoUrl === undefined
    ? html`<span class="mark" aria-hidden="true">${initialOf(displayName)}</span>`
    : html`<img class="logo" src="${logoUrl}" alt="" width="24" height="24">`

const coBrand = ({ realm: { coBranding, displayName }, t }: Reader): Html | false => {
  if (coBranding === 'powered_by') return html`<p class="note">${t.poweredBy}</p>\n`
  return coBranding === 'dual' && html`<p class="note">${t.withCountersign(displayName)}</p>\n`
}

const initialOf = (name: string): string => [...name.trim()][0]?.toUpperCase() ?? ''
