import { expect, test } from 'vitest'
import { referenceText, tryReference } from '../../../src/ledger/visibility/format.ts'

const id = '9cffe65feb664c9550937433067e9f969e3795c6fb38715e06a5e04fc1ae1f83'

test('a template is named by the name of its package or by its id', () => {
  expect(tryReference('#splice-amulet-name-service:Splice.Ans:AnsEntry')).toEqual({
    package: { by: 'name', value: 'splice-amulet-name-service' },
    entity: 'Splice.Ans:AnsEntry',
  })
  expect(tryReference(`${id}:Splice.Ans:AnsEntry`)).toEqual({
    package: { by: 'id', value: id },
    entity: 'Splice.Ans:AnsEntry',
  })
})

test('a reference is written as it was read', () => {
  for (const text of ['#a_b-1:M:E', `${id}:Deep.Module.Path:Entity.Nested`, '#x:M$:_e1']) {
    const reference = tryReference(text)
    expect(reference && referenceText(reference)).toBe(text)
  }
})

test.each([
  '',
  ':',
  '#:M:E',
  '#a:M',
  '#a:M:E:F',
  'a:M:E',
  `#${id}:M:`,
  '#a::E',
  '#a:M.:E',
  '#a:.M:E',
  '#a:1M:E',
  '#a b:M:E',
  `${id.toUpperCase()}:M:E`,
  `${id}0:M:E`,
  ' #a:M:E',
  '#a:M:E\n',
])('%j names nothing', (text) => {
  expect(tryReference(text)).toBeUndefined()
})
