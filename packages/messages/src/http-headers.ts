/**
 * Response header between a service and the gateway's proxy, which removes it: the status and code that the request log
 * shows instead of those of the response, such as `404 project_not_found`.
 */
export const outcomeHeader = 'x-webkiln-outcome';
