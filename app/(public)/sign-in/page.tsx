import type { Metadata } from 'next'
import Link from 'next/link'
import { Suspense } from 'react'
import { PlainPage } from '#components/layout/plain-page.tsx'
import { verifyPath } from '#lib/paths.ts'
import { SignIn } from './sign-in.tsx'

export const metadata: Metadata = { title: 'Sign in' }

export default function SignInPage() {
  return (
    <PlainPage title="Sign in to Countersign">
      <Suspense>
        <SignIn />
      </Suspense>
      <p className="border-line border-t pt-4 text-dense text-ink-2">
        Did you receive an evidence archive?{' '}
        <Link href={verifyPath()} prefetch={false} className="text-link">
          Verify an evidence archive
        </Link>{' '}
        without signing in.
      </p>
    </PlainPage>
  )
}
