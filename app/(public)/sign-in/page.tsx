import type { Metadata } from 'next'
import Link from 'next/link'
import { Suspense } from 'react'
import { PlainPage } from '#components/layout/plain-page.tsx'
import * as t from '#components/texts/public/en.ts'
import { verifyPath } from '#lib/paths.ts'
import { SignIn } from './sign-in.tsx'

export const metadata: Metadata = { title: t.signIn }

export default function SignInPage() {
  return (
    <PlainPage title={t.signInTitle}>
      <Suspense>
        <SignIn />
      </Suspense>
      <p className="border-line border-t pt-4 text-dense text-ink-2">
        {t.receivedArchive({
          link: (content) => (
            <Link href={verifyPath()} prefetch={false} className="text-link">
              {content}
            </Link>
          ),
        })}
      </p>
    </PlainPage>
  )
}
