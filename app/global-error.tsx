'use client'

import { PlainPage } from '#components/layout/plain-page.tsx'
import * as language from '#components/texts/language/en.ts'
import * as t from '#components/texts/stopped/en.ts'
import { rootPath } from '#lib/paths.ts'
import { FONT_CLASSES } from './fonts.ts'
import './globals.css'

/** Replaces the whole document if the root layout fails. */
export default function GlobalError() {
  return (
    <html lang={language.attribute} className={FONT_CLASSES}>
      <body>
        <PlainPage title={t.consoleStopped}>
          <p>
            {t.consoleStoppedAbout}{' '}
            <a href={rootPath()} className="text-link">
              {t.goToStart}
            </a>
          </p>
        </PlainPage>
      </body>
    </html>
  )
}
