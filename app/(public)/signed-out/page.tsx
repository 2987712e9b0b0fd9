import type { Metadata } from 'next'
import { PlainPage } from '#components/layout/plain-page.tsx'
import { signInPath } from '#lib/paths.ts'

export const metadata: Metadata = { title: 'Signed out' }

export default function SignedOutPage() {
  return (
    <PlainPage title="You are signed out">
      <p>Your session has ended in this browser and at your organisation. Drafts were removed from this browser.</p>
      <p>
        <a href={signInPath()} className="text-link">
          Sign in again
        </a>
      </p>
    </PlainPage>
  )
}
