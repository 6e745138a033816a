/* engine/input.h - words of dialogues in which a call asks its client. */
#ifndef HAFT_TESTS_INPUT_H
#define HAFT_TESTS_INPUT_H

#define EMPTY_FORM "{\"type\":\"object\",\"properties\":{}}"

#define SAID(text) "{'content':[{'type':'text','text':'" text "'}]}"
#define SAID_MODERN(text) "{'content':[{'type':'text','text':'" text "'}],$T}"
#define FAILED(text) "{'content':[{'type':'text','text':'" text "'}],'isError':true}"

#define ALL "{'elicitation':{'form':{},'url':{}},'sampling':{},'roots':{}}"
#define ANSWER(id, result) "> {'jsonrpc':'2.0','id':" id ",'result':" result "}"

#endif
