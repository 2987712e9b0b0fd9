import { isPersonal, keptLanguage, type PersonalLanguage, preferredLanguage, sourceLanguage } from '#lib/languages.ts'
import type { Realm } from '#server/identity/realms/realm.ts'
import { english } from './english.ts'
import { german } from './german.ts'
import type { RealmWords } from './types.ts'

const wordsOf: Readonly<Record<PersonalLanguage, RealmWords>> = { en: english, de: german }

/** A realm, as someone who has not signed in reads its pages. */
export type Reader = { realm: Realm; language: PersonalLanguage; t: RealmWords }

type Headers = { cookie?: string | undefined; 'accept-language'?: string | undefined }

/** What this browser keeps, or else the organisation's, or else one that the browser prefers. */
export function readerOf(realm: Realm, headers: Headers): Reader {
  const wanted = [keptLanguage(headers.cookie)?.language, realm.language, preferredLanguage(headers['accept-language'])]
  const language = wanted.find(isPersonal) ?? sourceLanguage
  return { realm, language, t: wordsOf[language] }
}
