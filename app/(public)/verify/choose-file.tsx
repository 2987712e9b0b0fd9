'use client'

import { useEffect, useId, useState } from 'react'
import * as t from '#components/texts/verify/en.ts'
import { classNames } from '#components/ui/text/class-names.ts'
import { ShownText } from '#components/ui/text/shown-text.tsx'

type ChooseFileProps = {
  /** Name of the chosen file. */
  chosen: string | undefined
  onFile: (file: File) => void
}

/** A file input styled like the other fields. A file can also be dropped anywhere on the page. */
export function ChooseFile({ chosen, onFile }: ChooseFileProps) {
  const id = useId()
  const over = useDrop(onFile)
  return (
    <label
      htmlFor={id}
      className={classNames(
        'flex cursor-pointer flex-wrap items-center gap-x-4 gap-y-2 border border-dashed p-4 has-focus-visible:outline-2 has-focus-visible:outline-focus has-focus-visible:outline-offset-2',
        over ? 'border-ink bg-selected' : 'border-line-strong bg-surface hover:bg-selected',
      )}
    >
      <span className="inline-flex min-h-9 items-center border border-line-strong bg-raised px-3">
        {chosen === undefined ? t.choose : t.chooseOther}
      </span>
      <span className="wrap-anywhere min-w-0 text-ink-2">
        {over ? t.dropIt : chosen === undefined ? t.orDrop : <ShownText>{chosen}</ShownText>}
      </span>
      <input
        id={id}
        type="file"
        accept=".zip,application/zip"
        className="sr-only"
        onChange={({ target }) => {
          const [file] = target.files ?? []
          if (file !== undefined) onFile(file)
          // Choosing the same file again starts another check.
          target.value = ''
        }}
      />
    </label>
  )
}

/** Returns whether a file is dragged over the page. Without it, the browser would open a file dropped outside the field. */
function useDrop(onFile: (file: File) => void): boolean {
  const [over, setOver] = useState(false)
  useEffect(() => {
    const hold = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes('Files') !== true) return
      event.preventDefault()
      setOver(true)
    }
    const leave = (event: DragEvent) => {
      // Moving between elements of the page is not leaving it.
      if (event.relatedTarget === null) setOver(false)
    }
    const drop = (event: DragEvent) => {
      setOver(false)
      const [file] = event.dataTransfer?.files ?? []
      if (file === undefined) return
      event.preventDefault()
      onFile(file)
    }
    window.addEventListener('dragover', hold)
    window.addEventListener('dragleave', leave)
    window.addEventListener('drop', drop)
    return () => {
      window.removeEventListener('dragover', hold)
      window.removeEventListener('dragleave', leave)
      window.removeEventListener('drop', drop)
    }
  }, [onFile])
  return over
}
