import type { Metadata } from 'next'
import { PlainPage } from '#components/layout/plain-page.tsx'
import * as t from '#components/texts/public/en.ts'
import { rootPath } from '#lib/paths.ts'

export const metadata: Metadata = { title: t.notFound }

export default function NotFound() {
  return (
    <PlainPage title={t.notFound}>
      <p>{t.notFoundAbout}</p>
      <p>
        <a href={rootPath()} className="text-link">
          {t.goToStart}
        </a>
      </p>
    </PlainPage>
  )
}
