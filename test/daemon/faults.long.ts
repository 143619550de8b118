import { describe } from 'vitest'
import { answersStayTrue } from './faulty-network.ts'

describe('4 of 13, asked by the fan-out all:', () => {
  answersStayTrue({ superValidators: 13, f: 4, fanout: 'all' })
})
