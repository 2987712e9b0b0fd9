'use client'

import { PlainPage } from '#components/layout/plain-page.tsx'
import { rootPath } from '#lib/paths.ts'
import { FONT_CLASSES } from './fonts.ts'
import './globals.css'

/** Replaces the whole document when even the root layout fails. */
export default function GlobalError() {
  return (
    <html lang="en" className={FONT_CLASSES}>
      <body>
        <PlainPage title="The console stopped working">
          <p>
            The fault is in the page, not in what you did. What the server had already confirmed is recorded.{' '}
            <a href={rootPath()} className="text-link">
              Start again
            </a>
          </p>
        </PlainPage>
      </body>
    </html>
  )
}
