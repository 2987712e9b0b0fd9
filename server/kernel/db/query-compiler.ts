import { type BinaryOperationNode, OperatorNode, PostgresQueryCompiler, PrimitiveValueListNode } from 'kysely'

/** How a list of values is compared as one array. */
const asArray: Readonly<Record<string, string>> = { in: ' = any(', 'not in': ' <> all(' }

/**
 * PostgreSQL's compiler of Kysely, but a list of values is one parameter, an array, instead of one for each value: the text does not
 * depend on their number, and neither this process nor PostgreSQL handles each as an expression of its own. No value of an
 * empty list is equal to anything, where `in ()` would be an error.
 */
export class QueryCompiler extends PostgresQueryCompiler {
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const { leftOperand, operator, rightOperand } = node
    const compared = OperatorNode.is(operator) ? asArray[operator.operator] : undefined
    if (compared !== undefined && PrimitiveValueListNode.is(rightOperand)) {
      this.visitNode(leftOperand)
      this.append(compared)
      this.appendValue(rightOperand.values)
      this.append(')')
    } else super.visitBinaryOperation(node)
  }
}
