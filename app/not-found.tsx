import type { Metadata } from 'next'
import { PlainPage } from '#components/layout/plain-page.tsx'
import { rootPath } from '#lib/paths.ts'

export const metadata: Metadata = { title: 'Page not found' }

export default function NotFound() {
  return (
    <PlainPage title="There is no such page">
      <p>
        The address may have been mistyped or cut off. Nothing was changed. Objects that you may not see answer in the
        same way as objects that don’t exist.
      </p>
      <p>
        <a href={rootPath()} className="text-link">
          Go to the start
        </a>
      </p>
    </PlainPage>
  )
}
