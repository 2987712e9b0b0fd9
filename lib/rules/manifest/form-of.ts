import type { z } from 'zod'

/** What a schema says of a value: the objects that it may be, and what is in it if it is a list or has members of any name. */
export type Form = { objects: z.ZodObject[]; elements: z.ZodType[]; values: z.ZodType[] }

type Inner = { def: { type: string } & Record<string, unknown> }
const innerOf = (schema: z.ZodType) => (schema as unknown as { _zod: Inner })._zod.def

const none: Form = { objects: [], elements: [], values: [] }

export function formOf(schema: z.ZodType): Form {
  const def = innerOf(schema)
  switch (def.type) {
    case 'object':
      return { ...none, objects: [schema as z.ZodObject] }
    case 'array':
      return { ...none, elements: [def.element as z.ZodType] }
    case 'record':
      return { ...none, values: [def.valueType as z.ZodType] }
    case 'optional':
    case 'nullable':
    case 'default':
      return formOf(def.innerType as z.ZodType)
    case 'pipe':
      return formOf(def.out as z.ZodType)
    case 'lazy':
      return formOf((def.getter as () => z.ZodType)())
    case 'union':
      return together((def.options as z.ZodType[]).map(formOf))
    default:
      return none
  }
}

export const together = (forms: readonly Form[]): Form => ({
  objects: forms.flatMap(({ objects }) => objects),
  elements: forms.flatMap(({ elements }) => elements),
  values: forms.flatMap(({ values }) => values),
})
