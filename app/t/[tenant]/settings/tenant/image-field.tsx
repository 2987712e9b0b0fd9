'use client'

import { useId, useState } from 'react'
import * as t from '#components/texts/settings-tenant/en.ts'
import { type ChosenImage, readImage } from './chosen-image.ts'

type ImageFieldProps = {
  kind: 'logo' | 'mark'
  label: string
  hint: string
  /** The address of the chosen image, or of the stored one. */
  shown: string | null
  /** Undefined keeps the stored image; null removes it. */
  onChange: (image: ChosenImage | null | undefined) => void
  locked: boolean
  /** Why the server refused the chosen image. */
  refused: string | undefined
}

/** A field to choose a logo from the device, or to remove it. */
export function ImageField({ kind, label, hint, shown, onChange, locked, refused }: ImageFieldProps) {
  const id = useId()
  const [unusable, setUnusable] = useState<string>()
  const problem = unusable ?? refused
  async function choose(file: File | undefined) {
    if (file === undefined || locked) return
    const image = await readImage(file)
    setUnusable(typeof image === 'string' ? image : undefined)
    if (typeof image !== 'string') onChange(image)
  }
  return (
    <div className="flex flex-col items-start gap-1.5">
      <label htmlFor={id} className="font-semibold text-dense">
        {label}
      </label>
      <input
        id={id}
        type="file"
        accept="image/png,image/svg+xml"
        aria-disabled={locked || undefined}
        aria-invalid={problem === undefined ? undefined : true}
        aria-describedby={`${id}-hint`}
        onClick={(event) => {
          if (locked) event.preventDefault()
        }}
        onChange={(event) => void choose(event.target.files?.[0])}
        className="max-w-full file:mr-3 file:min-h-9 file:border file:border-line-strong file:bg-surface file:px-3 file:py-1.5 file:text-ink"
      />
      <span id={`${id}-hint`} className="text-dense text-ink-2">
        {problem !== undefined && <span className="text-danger">{problem} </span>}
        {hint}
      </span>
      {shown !== null && !locked && (
        <button type="button" onClick={() => onChange(null)} className="text-link min-h-6 text-dense">
          {t.removeThe({ kind })}
        </button>
      )}
    </div>
  )
}
