import type { Metadata } from 'next'
import { PlainPage } from '#components/layout/plain-page.tsx'
import * as t from '#components/texts/public/en.ts'
import { signInPath } from '#lib/paths.ts'

export const metadata: Metadata = { title: t.signedOut }

export default function SignedOutPage() {
  return (
    <PlainPage title={t.signedOutTitle}>
      <p>{t.sessionEnded}</p>
      <p>
        <a href={signInPath()} className="text-link">
          {t.signInAgain}
        </a>
      </p>
    </PlainPage>
  )
}
