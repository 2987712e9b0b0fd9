import type { Metadata } from 'next'
import { Suspense } from 'react'
import { PlainPage } from '#components/layout/plain-page.tsx'
import { SignIn } from './sign-in.tsx'

export const metadata: Metadata = { title: 'Sign in' }

export default function SignInPage() {
  return (
    <PlainPage title="Sign in to Countersign">
      <Suspense>
        <SignIn />
      </Suspense>
    </PlainPage>
  )
}
