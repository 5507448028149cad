import type { ServerResponse } from 'node:http';
import { counter } from '@webkiln/runtime';

const answers = counter({ name: 'site_answers_total', help: 'Answers of published sites by status', labelNames: ['status'] });

function count(this: ServerResponse): void {
  answers.inc({ status: this.statusCode });
}

/** Counts the answer by its status when it is sent. */
export const countAnswer = (response: ServerResponse): void => void response.once('finish', count);
