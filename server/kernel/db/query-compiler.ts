import { type BinaryOperationNode, OperatorNode, PostgresQueryCompiler, PrimitiveValueListNode } from 'kysely'

/** How a list of values is compared: with its only value, or as one array. */
const comparisons: Readonly<Record<string, { one: string; array: string }>> = {
  in: { one: ' = ', array: ' = any(' },
  'not in': { one: ' <> ', array: ' <> all(' },
}

/**
 * PostgreSQL's compiler of Kysely, but a list of values is one parameter, an array, instead of one for each value: the text does not
 * depend on their number, and neither this process nor PostgreSQL handles each as an expression of its own. No value of an
 * empty list is equal to anything, where `in ()` would be an error. A single value is compared as such: only then does PostgreSQL see
 * that an index which continues with the order of the page has its rows in that order.
 */
export class QueryCompiler extends PostgresQueryCompiler {
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const { leftOperand, operator, rightOperand } = node
    const compared = OperatorNode.is(operator) ? comparisons[operator.operator] : undefined
    if (compared !== undefined && PrimitiveValueListNode.is(rightOperand)) {
      const { values } = rightOperand
      this.visitNode(leftOperand)
      this.append(values.length === 1 ? compared.one : compared.array)
      this.appendValue(values.length === 1 ? values[0] : values)
      if (values.length !== 1) this.append(')')
    } else super.visitBinaryOperation(node)
  }
}
