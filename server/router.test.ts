import { expectTypeOf, test } from 'vitest'
import type { Inputs } from '#lib/trpc.ts'

// tsc checks these: a call of the console with a field too many, too few or of another type does not compile.
test('the client’s types know the inputs of procedures', () => {
  expectTypeOf<Inputs['agents']['get']>().toEqualTypeOf<{ id: string }>()
  expectTypeOf<Inputs['agents']['create']>().toEqualTypeOf<{ yaml: string }>()
  expectTypeOf<Inputs['executions']['get']>().toEqualTypeOf<{ id: string }>()
  expectTypeOf<Inputs['approvals']['decide']['decision']>().toEqualTypeOf<'approve' | 'reject' | 'escalate'>()
  expectTypeOf<Inputs['session']['me']>().not.toBeUnknown()
})
