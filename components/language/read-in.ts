import * as language from '#components/texts/language/en.ts'
import {
  isLanguage,
  type KeptLanguage,
  keptLanguage,
  type Language,
  languageCookie,
  sourceLanguage,
} from '#lib/languages.ts'

/** The language of this page. */
export const pageLanguage: Language = isLanguage(language.tag) ? language.tag : sourceLanguage

/** The language of the next pages that this browser loads. */
export const keptInBrowser = (): KeptLanguage | undefined => keptLanguage(document.cookie)

/** Keeps a language for the next pages, or forgets it. Returns whether the browser has done so. */
export function keepInBrowser(kept: KeptLanguage | undefined): boolean {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in some supported browsers.
  document.cookie = languageCookie(kept, window.location.protocol === 'https:')
  return keptInBrowser()?.language === kept?.language
}

/** Shows the console in a language, or in the one that the browser asks for: the server sends each page in it. */
export function readIn(kept: KeptLanguage | undefined): void {
  keepInBrowser(kept)
  window.location.reload()
}
