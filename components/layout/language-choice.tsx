'use client'

import * as language from '#components/texts/language/en.ts'
import * as t from '#components/texts/menus/en.ts'
import { MenuChoice } from '#components/ui/controls/menu.tsx'
import { isLanguage, languageCookie, languageNames, offeredLanguages, sourceLanguage } from '#lib/languages.ts'

const options = offeredLanguages.map((value) => ({ value, label: languageNames[value] }))
const current = isLanguage(language.tag) ? language.tag : sourceLanguage

/** The person's own language in this browser. The server sends each page in it, so the page is loaded again. */
export function LanguageChoice() {
  return (
    <MenuChoice
      heading={t.language}
      value={current}
      options={options}
      onChange={(chosen) => {
        // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in some supported browsers.
        document.cookie = languageCookie(chosen, window.location.protocol === 'https:')
        window.location.reload()
      }}
    />
  )
}
