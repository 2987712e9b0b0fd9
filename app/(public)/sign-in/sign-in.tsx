'use client'

import { useSearchParams } from 'next/navigation'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import {
  lastOrganisation,
  rememberReturnTo,
  safeReturnTo,
  takeReturnTo,
} from '#components/session/last-organisation.ts'
import { organisationOf } from '#components/session/organisation-of.ts'
import { isSlug, type RealmProblem, realmUrl } from '#components/session/provider-client.ts'
import { session } from '#components/session/session.ts'
import * as t from '#components/texts/public/en.ts'
import { otherIssuer } from '#components/texts/sign-in-problem/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { TextField } from '#components/ui/controls/text-field.tsx'

/** The form for the organisation. The sign-in page of the organisation asks for user name and password. */
export function SignIn() {
  const search = useSearchParams()
  const asked = search.get('organisation')
  const again = search.get('again') === '1'
  const [entered, setEntered] = useState<string>()
  const [problem, setProblem] = useState<RealmProblem | 'empty'>()
  const [leaving, setLeaving] = useState(false)
  const organisation = entered ?? asked ?? ''
  const field = useRef<HTMLInputElement>(null)

  useEffect(() => {
    // Not in the first render, which must match the prerendered page.
    if (asked === null) setEntered((known) => known ?? lastOrganisation()?.slug)
  }, [asked])

  useEffect(() => field.current?.focus(), [])

  const begun = useRef(false)
  useEffect(() => {
    if (!again || asked === null || begun.current) return
    begun.current = true
    setLeaving(true)
    void leave(asked, true)
  })

  async function leave(slug: string, helper: boolean) {
    const returnTo = helper ? undefined : safeReturnTo(takeReturnTo(), window.location.origin)
    const failed = await session.signIn(slug, { returnTo, helper })
    // Also reached from the provider's page by the Back button.
    if (returnTo !== undefined) rememberReturnTo(returnTo)
    setLeaving(false)
    setProblem(failed)
    field.current?.focus()
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    if (leaving) return
    const slug = organisationOf(organisation)
    if (organisation.trim() === '') {
      setProblem('empty')
      field.current?.focus()
      return
    }
    setLeaving(true)
    setProblem(undefined)
    void leave(slug, again)
  }

  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <TextField
        ref={field}
        label={t.organisation}
        hint={t.organisationHint}
        error={problem && problemOf(problem, organisation.trim())}
        name="organisation"
        autoComplete="email"
        inputMode="email"
        autoCapitalize="none"
        spellCheck={false}
        value={organisation}
        onChange={(event) => setEntered(event.target.value)}
        aria-required
      />
      <Button type="submit" variant="primary" wide busyLabel={leaving ? t.openingOrganisation : undefined}>
        {t.next}
      </Button>
      <p className="text-dense text-ink-2">{t.ownPage}</p>
    </form>
  )
}

function problemOf(problem: RealmProblem | 'empty', organisation: string): string {
  switch (problem) {
    case 'empty':
      return t.organisationMissing
    case 'unknown-organisation':
      if (organisation.includes('@')) return t.addressUnknown
      return isSlug(organisation) ? t.organisationUnknown({ organisation }) : t.shortNameFormat
    case 'unreachable': {
      // To a page of another origin, a provider's answer that it does not know a realm looks like none.
      const isElsewhere = new URL(realmUrl(organisationOf(organisation))).origin !== window.location.origin
      return isElsewhere ? t.unreachableOrUnknown : t.providerUnreachable
    }
    case 'other-issuer':
      return otherIssuer
  }
}
