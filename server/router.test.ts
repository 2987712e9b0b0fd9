import { expectTypeOf, test } from 'vitest'
import type { Inputs } from '#lib/trpc.ts'

// tsc checks these: a call of the console with an extra field, a missing field or a wrong type does not compile.
test('the client’s types match the inputs of procedures', () => {
  expectTypeOf<Inputs['agents']['get']>().toEqualTypeOf<{ id: string }>()
  expectTypeOf<Inputs['agents']['create']>().toEqualTypeOf<{ yaml: string }>()
  expectTypeOf<Inputs['executions']['get']>().toEqualTypeOf<{ id: string }>()
  expectTypeOf<Inputs['approvals']['decide']['decision']>().toEqualTypeOf<'approve' | 'reject' | 'escalate'>()
  expectTypeOf<Inputs['session']['me']>().not.toBeUnknown()
})
