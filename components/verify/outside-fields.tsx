import * as t from '#components/texts/verify/en.ts'
import { FileField } from '#components/ui/controls/file-field.tsx'
import { TextField } from '#components/ui/controls/text-field.tsx'

/** What the reader has from elsewhere and compares an archive with, in addition to the key. `witness`: as it is typed. */
export type Outside = { adjacent: File | undefined; authority: File | undefined; witness: string }
export const nothingOutside: Outside = { adjacent: undefined, authority: undefined, witness: '' }

/** As the worker is asked. */
export const askedOf = ({ witness, ...files }: Outside) => ({ ...files, witness: given(witness) })
export const given = (text: string): string | undefined => (text.trim() === '' ? undefined : text)

/** The fields for it. Each is optional. */
export function OutsideFields({ value, onChange }: { value: Outside; onChange: (value: Outside) => void }) {
  return (
    <>
      <FileField
        label={t.adjacent}
        hint={t.adjacentHint}
        accept=".zip,application/zip"
        onFile={(adjacent) => onChange({ ...value, adjacent })}
      />
      <FileField
        label={t.authority}
        hint={t.authorityHint}
        accept=".pem,.crt,.cer"
        onFile={(authority) => onChange({ ...value, authority })}
      />
      <TextField
        label={t.witness}
        hint={t.witnessHint}
        value={value.witness}
        onChange={({ target }) => onChange({ ...value, witness: target.value })}
        autoComplete="off"
        spellCheck={false}
        className="font-mono"
      />
    </>
  )
}
