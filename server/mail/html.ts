import type { PersonalLanguage } from '#lib/languages.ts'

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '')

/**
 * The text of a mail as HTML: paragraphs, and a line that is an address of this server as a link. Nothing else becomes a link,
 * because titles and names come from strangers.
 */
export function htmlOf(text: string, baseUrl: string, language: PersonalLanguage): string {
  const origin = new URL(baseUrl).origin
  const line = (one: string) =>
    one.startsWith(`${origin}/`) && !/\s/.test(one) ? `<a href="${escaped(one)}">${escaped(one)}</a>` : escaped(one)
  const paragraphs = text
    .trim()
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${paragraph.split('\n').map(line).join('<br>')}</p>`)
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8"></head><body style="font-family: sans-serif">${paragraphs.join('')}</body></html>`
}
