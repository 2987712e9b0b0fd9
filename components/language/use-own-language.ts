'use client'

import { useLayoutEffect, useRef, useState } from 'react'
import type { KeptLanguage, PersonalLanguage } from '#lib/languages.ts'
import { keepInBrowser, keptInBrowser, pageLanguage } from './read-in.ts'

/** `language`: what the person chose; then the organisation's. */
type Reader = { language: PersonalLanguage | null; tenant: { branding: { language: PersonalLanguage | null } } }

/**
 * Keeps the language of the person who has signed in, or else the organisation's, in this browser, unless one was chosen here and
 * the person has none of their own. A page that came in another one is loaded again before it shows anything; later changes
 * hold for the next page, because this one may have unsent input. Returns whether the page is being loaded again.
 */
export function useOwnLanguage(reader: Reader | undefined): boolean {
  const [leaving, setLeaving] = useState(false)
  const isOpen = useRef(false)
  const known = reader !== undefined
  // An answer of an earlier version has neither.
  const own = reader?.language ?? undefined
  const organisations = reader?.tenant.branding.language ?? undefined
  useLayoutEffect(() => {
    if (!known) return
    const isFirst = !isOpen.current
    isOpen.current = true
    const kept = keptInBrowser()
    // Someone chose it here, and nowhere else.
    if (own === undefined && kept?.from === 'browser') return
    const language = own ?? organisations
    const wanted: KeptLanguage | undefined = language && { language, from: 'account' }
    if (wanted?.language === kept?.language && wanted?.from === kept?.from) return
    // A browser that refuses the cookie would load the page again and again.
    if (!keepInBrowser(wanted) || !isFirst || wanted?.language === pageLanguage) return
    setLeaving(true)
    window.location.reload()
  }, [known, own, organisations])
  return leaving
}
