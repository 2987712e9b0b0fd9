'use client'

import Link from 'next/link'
import { Page } from '#components/layout/page.tsx'
import * as sessionTexts from '#components/texts/session/en.ts'
import * as t from '#components/texts/sign-in-problem/en.ts'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import { signInPath } from '#lib/paths.ts'
import type { RealmProblem } from './provider-client.ts'

/** Why the sign-in page of an organisation can't be opened. */
export function SignInProblem({ problem }: { problem: RealmProblem }) {
  return (
    <Page>
      <h1>{t.signIn}</h1>
      <ErrorPanel
        title={textOf(problem)}
        effect={sessionTexts.nothingChanged}
        advice={t.tryOrChoose}
        action={
          <Link href={signInPath()} className="text-link">
            {t.chooseOrganisation}
          </Link>
        }
      />
    </Page>
  )
}

function textOf(problem: RealmProblem): string {
  switch (problem) {
    case 'unknown-organisation':
      return t.organisationUnknown
    case 'unreachable':
      return sessionTexts.providerUnreachable
    case 'other-issuer':
      return t.otherIssuer
  }
}
