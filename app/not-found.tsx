import type { Metadata } from 'next'
import { PlainPage } from '#components/layout/plain-page.tsx'
import { rootPath } from '#lib/paths.ts'

export const metadata: Metadata = { title: 'Page not found' }

export default function NotFound() {
  return (
    <PlainPage title="Page not found">
      <p>
        The address may be mistyped or incomplete. Nothing was changed. Pages that you don’t have permission to see look
        the same as pages that don’t exist.
      </p>
      <p>
        <a href={rootPath()} className="text-link">
          Go to the start page
        </a>
      </p>
    </PlainPage>
  )
}
